// Sets up a Node queue in a database, with its own code; with `probe` also sends one job through it
// and prints, as JSON, the statements with which its code took and finished that job.
//
//     node node_statements.cjs FOLDER graphile-worker|pg-boss [probe]
//
// libpq's environment says where the database is.

const path = require("node:path");

const [folder, name, probe] = process.argv.slice(2);
const modules = path.join(path.resolve(folder), "node_modules");
const { Pool } = require(path.join(modules, "pg"));
const pool = new Pool();
pool.on("error", () => {});
const sent = [];

function send(asked, values) {
  sent.push(typeof asked === "string" ? { text: asked, values: values ?? [] } : asked);
  return pool.query(asked, values);
}

async function graphileWorker() {
  const { runMigrations } = require(path.join(modules, name));
  const { batchGetJobs } = require(path.join(modules, name, "dist/sql/getJobs.js"));
  const { batchCompleteJobs } = require(path.join(modules, name, "dist/sql/completeJobs.js"));
  await runMigrations({ pgPool: pool });
  const withClient = (body) => body({ query: send });
  withClient.withRetries = withClient;
  const options = {
    workerSchema: "graphile_worker",
    escapedWorkerSchema: "graphile_worker",
    resolvedPreset: { worker: { preparedStatements: true, useNodeTime: false } },
    logger: console,
  };
  // This makes the task's name known, too. There is no job yet.
  await batchGetJobs(options, withClient, { bench: () => {} }, "agent", [], 1);
  const claim = sent.at(-1);
  await batchCompleteJobs(options, withClient, "agent", [{ id: "0", job_queue_id: null }]);
  return { claim, finish: sent.at(-1) };
}

async function pgBoss() {
  const { PgBoss } = await import(path.join(modules, name, "dist/index.js"));
  const boss = new PgBoss({ db: { executeSql: send }, supervise: false, schedule: false });
  boss.on("error", (error) => console.error(error));
  await boss.start();
  await boss.createQueue("bench");
  let told = {};
  if (probe) {
    await boss.insert("bench", [{}]);
    const insert = sent.at(-1);
    const [job] = await boss.fetch("bench");
    const claim = sent.at(-1);
    await boss.complete("bench", job.id);
    told = { insert, claim, finish: sent.at(-1) };
  }
  await boss.stop({ graceful: false });
  return told;
}

async function main() {
  const { version } = require(path.join(modules, name, "package.json"));
  const told = name === "graphile-worker" ? await graphileWorker() : await pgBoss();
  console.log(JSON.stringify({ version, ...told }));
  await pool.end();
  process.exit(0);
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
