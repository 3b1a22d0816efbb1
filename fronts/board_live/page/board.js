// The live board's page: state once, then one EventSource, and the model kept in step.
//
// Everything that comes from the board is put into the document as text (textContent); the page's
// Content-Security-Policy also makes the browser refuse anything else.
'use strict';

const COLUMNS = ['waiting', 'progress', 'human', 'done'];
const COLUMN_OF = {
  blocked: 'waiting', pending: 'waiting', scheduled: 'waiting', in_progress: 'progress', escalated: 'human',
  completed: 'done', cancelled: 'done',
};
// Where a task most likely stood before an event, when its card is not on the page.
const CAME_FROM = {
  claimed: 'waiting', completed: 'progress', failed: 'progress', released: 'progress',
  expired: 'progress', extended: 'progress', escalated: 'progress', retried: 'human',
  cancelled: 'waiting', replayed: 'done', unblocked: 'waiting',
};
const LIMIT = 50;           // cards per column
const SILENCE = 45_000;     // ms without a word from the relay: the line is dead

const $ = (selector, root = document) => root.querySelector(selector);
const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];

/** An element with properties, a class and children; strings become text. */
function el(tag, className = '', ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== ''));
  return node;
}

/** Writes text only where it changes, so that an idle board paints nothing. */
function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

// Words and numbers ------------------------------------------------------------------------------

let offset = 0;             // the database's clock minus this machine's, ms
const now = () => Date.now() + offset;
const at = (stamp) => (stamp ? Date.parse(stamp) : NaN);
/** To the microsecond, as PostgreSQL orders: many leases begin within one millisecond. */
const micros = (stamp) => at(stamp) * 1000 + Number((/\.\d{3}(\d{1,3})/.exec(stamp)?.[1] || '').padEnd(3, '0'));

function age(ms) {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60) || ''}`.replace(/ $/, '');
  return `${Math.floor(s / 86400)} d`;
}

function countdown(ms) {
  const s = Math.max(0, Math.ceil(ms / 1000));
  const two = (n) => String(n).padStart(2, '0');
  if (s < 3600) return `${Math.floor(s / 60)}:${two(s % 60)}`;
  if (s < 86400) return `${Math.floor(s / 3600)}:${two(Math.floor((s % 3600) / 60))}:${two(s % 60)}`;
  return age(ms);
}

const number = (n) => (n < 10_000 ? String(n) : n < 1_000_000 ? `${Math.round(n / 1000)}k` : `${(n / 1e6).toFixed(1)}M`);
const clockTime = (ms) => new Date(ms).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false });

function hue(text) {
  let h = 2166136261;
  for (const c of text) h = Math.imul(h ^ c.codePointAt(0), 16777619) >>> 0;
  return Math.round((h % 1000) * 0.36);
}

function tinted(node, text) {
  node.style.setProperty('--hue', hue(text));
  return node;
}

const flat = (value) => (typeof value === 'string' ? value : JSON.stringify(value));

/** A JSON value in one breath: "customer ACME  amount 120". Nodes, all of them text. */
function gist(value) {
  if (value === null || value === undefined) return [];
  if (typeof value !== 'object' || Array.isArray(value)) return [el('b', '', flat(value).slice(0, 240))];
  const parts = [];
  for (const [key, inner] of Object.entries(value).slice(0, 6)) {
    if (parts.length) parts.push('  ');
    parts.push(el('i', '', key), ' ', el('b', '', flat(inner).slice(0, 120)));
  }
  return parts;
}

/** What went wrong, in words: the failure's message if it has one. */
function complaint(failure) {
  if (failure === null || failure === undefined) return '';
  if (typeof failure === 'object' && !Array.isArray(failure)) {
    for (const key of ['error', 'message', 'reason', 'detail']) {
      if (typeof failure[key] === 'string') return failure[key];
    }
  }
  return flat(failure);
}

function why(card) {
  const said = complaint(card.last_failure);
  const cause = {
    failures: `${card.failure_count} ${card.failure_count === 1 ? 'strike' : 'strikes'}`,
    permanent: 'Failed for good',
    lapses: `${card.lapse_count} lapsed leases`,
    requested: 'Handed over',
  }[card.escalation_reason] || (card.escalation_reason || '').replace(/_/g, ' ') || 'Escalated';
  return said ? `${cause}: ${said}` : cause;
}

const initials = (name) => {
  const parts = name.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const last = parts.at(-1) || '?';
  return (parts.length > 1 ? parts[0][0] + (/^\d+$/.test(last) ? last.slice(-2) : last[0]) : (parts[0] || '?').slice(0, 2)).toUpperCase();
};

// The model --------------------------------------------------------------------------------------

let cards = new Map();      // id → card; card.n = position of the last event that it shows
let budgets = [];           // [provider, account, unit, seconds, most, used, reason, free at]
let counts = new Map();     // kind → column → {n, oldest}; a Map, for a kind may be called __proto__
let filter = '';            // a kind, or '' for all
let epoch = '';
let position = 0;           // how many events of this relay the page has taken in
let state = 'connecting';
let database = { state: 'up' };
let lastWord = 0;           // when the relay last said anything, this machine's clock
let beats = new Map();      // 5-second slot → transitions
let tape = [];
let fresh = new Set();
const touched = new Map();  // task → position of its last event, also when its card is off the page
let dirty = true;
let leases = { now: 0, held: new Map() };   // the leases that end first, as last told
let horizon = Infinity;     // no task in progress that is not on the page had a lease ending sooner
let wanting = false;        // the page knows that other cards belong on it

const column = (card) => COLUMN_OF[card.status];

function bump(kind, where, by) {
  if (!where) return;
  if (!counts.has(kind)) counts.set(kind, {});
  const cell = (counts.get(kind)[where] ??= { n: 0, oldest: null });
  cell.n = Math.max(0, cell.n + by);
}

function takeState(data) {
  const later = new Map();
  // What events have told meanwhile is newer than this state.
  for (const [id, card] of cards) if (data.epoch === epoch && card.n > data.n) later.set(id, card);
  cards = new Map();
  for (const card of Object.values(data.columns).flat()) {
    if (data.epoch !== epoch || !(touched.get(card.id) > data.n)) cards.set(card.id, { ...card, n: data.n });
  }
  for (const [id, card] of later) if (!card.gone) cards.set(id, card); else cards.delete(id);
  if (data.epoch !== epoch || data.n >= position) { counts = new Map(Object.entries(data.counts)); budgets = data.budgets; }
  offset = at(data.now) - Date.now();
  wanting = false;
  horizon = Infinity;
  for (const part of [data.columns.progress, data.columns.persons]) if (part.length >= LIMIT) horizon = Math.min(horizon, micros(part.at(-1).leased_until));
  // A state is shared and may be older than the leases told since.
  if (data.epoch !== epoch) leases = { now: 0, held: new Map() };
  else if (leases.now > at(data.now)) takeLeases();
  fresh.clear();
  dirty = true;
}

/** Who holds what comes with the counts, the first to end first: heartbeats need not be logged. */
function takeLeases() {
  const { held } = leases;
  for (const [id, [until, beat, progress]] of held) {
    const card = cards.get(id);
    if (card && card.status === 'in_progress') Object.assign(card, { leased_until: until, heartbeat_at: beat, progress });
  }
  const shown = lists().progress;
  // Told of, ending before the last one shown, and not here: its card is wanted.
  const last = shown.length < LIMIT ? Infinity : micros(shown.at(-1).leased_until);
  for (const [id, [until, , , kind]] of held) if ((!filter || kind === filter) && micros(until) < last && !cards.has(id)) wanting = true;
  // Here, ending before others that were told of, and not told of: renewed, and out of that list.
  const end = held.size < 4 * LIMIT ? -Infinity : Math.max(...[...held.values()].map(([until]) => micros(until)));
  for (const card of shown) if (!held.has(card.id) && micros(card.leased_until) < end) wanting = true;
}

function takeEvent(event) {
  position = event.n;
  touched.delete(event.task_id);
  touched.set(event.task_id, event.n);
  if (touched.size > 3000) touched.delete(touched.keys().next().value);
  const slot = Math.floor(at(event.created_at) / 5000);
  beats.set(slot, (beats.get(slot) || 0) + 1);
  tape.unshift(event);
  tape.length = Math.min(tape.length, 14);
  const before = cards.get(event.task_id);
  const card = event.task;
  const from = before && !before.gone ? column(before) : CAME_FROM[event.type];
  const to = card ? column(card) : null;
  if (from !== to && !(from === undefined && event.type !== 'enqueued' && event.type !== 'replayed')) {
    bump(event.kind, from, -1);
    bump(event.kind, to, 1);
  }
  if (filter && event.kind !== filter) return;
  if (card) {
    if (!before || column(before) !== to) fresh.add(card.id);
    cards.set(card.id, { ...card, n: event.n });
  } else if (before) {
    cards.set(event.task_id, { ...before, n: event.n, gone: true });
  }
  if ($('#task').open && $('#task').dataset.id === event.task_id) showTask(event.task_id);
  dirty = true;
}

const ORDER = {
  waiting: (a, b) => (a.status === b.status
    ? (a.status === 'pending' ? b.priority - a.priority || at(a.created_at) - at(b.created_at) : at(a.run_at) - at(b.run_at))
    : (a.status === 'pending' ? -1 : 1)),
  // Lapsed leases first, then the one that ends first: as the relay cuts the column.
  progress: (a, b) => micros(a.leased_until) - micros(b.leased_until),
  human: (a, b) => b.priority - a.priority || at(a.escalated_at) - at(b.escalated_at),
  done: (a, b) => at(b.finished_at) - at(a.finished_at),
};

function lists() {
  const out = { waiting: [], progress: [], human: [], done: [] };
  for (const card of cards.values()) if (!card.gone) out[column(card)].push(card);
  for (const name of COLUMNS) {
    out[name].sort((a, b) => ORDER[name](a, b) || (a.id < b.id ? -1 : 1));
    // Beyond the screen nothing is kept: the board has it, and a gap is filled from there.
    for (const card of out[name].splice(LIMIT)) {
      if (name === 'progress') horizon = Math.min(horizon, micros(card.leased_until));
      cards.delete(card.id);
    }
  }
  return out;
}

function total(name) {
  let n = 0, oldest = null;
  for (const [kind, cells] of counts) {
    const cell = cells[name];
    if (!cell || (filter && kind !== filter)) continue;
    n += cell.n;
    if (cell.n && cell.oldest && (oldest === null || (name === 'done' ? cell.oldest > oldest : cell.oldest < oldest))) oldest = cell.oldest;
  }
  return { n, oldest };
}

// The line to the relay --------------------------------------------------------------------------

let source = null;
let opening = 0;            // grows with each new start; what an older one brings is thrown away
let refilling = false;
let lastFill = 0;

const stateUrl = () => '/state' + (filter ? `?kind=${encodeURIComponent(filter)}` : '');

async function start(delay = 0) {
  const mine = ++opening;
  if (source) source.close();
  source = null;
  if (delay) await new Promise((done) => setTimeout(done, delay));
  if (mine !== opening) return;
  try {
    const answer = await fetch(stateUrl(), { headers: { Accept: 'application/json' } });
    if (!answer.ok) throw new Error(String(answer.status));
    const data = await answer.json();
    if (mine !== opening) return;
    takeState(data);
    epoch = data.epoch;
    position = data.n;
    tape = data.recent;
    beats = new Map(Object.entries(data.beats).map(([slot, n]) => [Number(slot), n]));
    database = data.database;
    lastWord = Date.now();
    lastFill = Date.now();
    listen(data.cursor);
  } catch {
    if (mine !== opening) return;
    setState('lost');
    start(1000 + Math.random() * 2000);
  }
}

function listen(cursor) {
  const mine = opening;
  const own = new EventSource('/events?since=' + encodeURIComponent(cursor));
  source = own;
  own.onopen = () => { lastWord = Date.now(); setState('live'); };
  // The browser comes back by itself with Last-Event-ID, unless it was told never to.
  own.onerror = () => {
    if (mine !== opening) return;
    setState('connecting');
    if (own.readyState === EventSource.CLOSED) start(1000 + Math.random() * 2000);
  };
  own.onmessage = (message) => {
    lastWord = Date.now();
    takeEvent(JSON.parse(message.data));
  };
  own.addEventListener('counts', (message) => {
    lastWord = Date.now();
    const data = JSON.parse(message.data);
    counts = new Map(Object.entries(data.counts));
    budgets = data.budgets;
    offset = at(data.now) - Date.now();
    leases = { now: at(data.now), held: new Map(Object.entries(data.leases)) };
    takeLeases();
    dirty = true;
  });
  own.addEventListener('status', (message) => {
    lastWord = Date.now();
    database = JSON.parse(message.data).database;
    // Another process answers now: its positions are not those of the one before.
    const theirs = JSON.parse(message.data).epoch;
    if (theirs !== epoch) { epoch = theirs; for (const card of cards.values()) card.n = -1; touched.clear(); position = 0; lastFill = 0; }
    dirty = true;
  });
  own.addEventListener('resync', () => { document.documentElement.dataset.resyncs = 1 + Number(document.documentElement.dataset.resyncs || 0); start(); });
}

/** Gets the cards that have moved up into view. One answer is shared by all viewers. */
async function refill() {
  if (refilling || !source || source.readyState !== EventSource.OPEN || Date.now() - lastFill < 2500) return;
  refilling = true;
  lastFill = Date.now() + Math.random() * 1000;
  const mine = opening;
  try {
    const answer = await fetch(stateUrl(), { headers: { Accept: 'application/json' } });
    if (answer.ok && mine === opening) {
      const data = await answer.json();
      if (mine === opening && data.epoch === epoch) takeState(data);
    }
  } catch { /* the stream tells when the relay is gone */ } finally { refilling = false; }
}

function setState(value) {
  if (state !== value) { state = value; dirty = true; }
}

// Drawing ----------------------------------------------------------------------------------------

function nameLine(card) {
  const line = el('span', 'name', tinted(el('i', 'dot'), card.kind), el('span', '', card.kind));
  if (card.priority && column(card) !== 'done') {
    const high = el('b', card.priority > 0 ? 'high' : 'high low', `${card.priority > 0 ? '↑' : '↓'}${Math.abs(card.priority)}`);
    high.title = `priority ${card.priority}`;
    line.append(high);
  }
  return line;
}

function strikes(card) {
  return card.failure_count ? el('span', 'strikes', `${card.failure_count} ${card.failure_count === 1 ? 'strike' : 'strikes'}`) : '';
}

const BODY = {
  waiting(card) {
    const meta = el('span', 'meta');
    if (card.paused) meta.append(el('span', 'held', 'paused'));
    if (card.status === 'blocked') meta.append(el('span', 'held', `waits for ${card.unmet_needs}`));
    if (card.failure_count) meta.append(strikes(card));
    if (card.claim_count > card.failure_count) meta.append(el('span', '', `tried ${card.claim_count}×`));
    return [el('span', 'text', ...gist(card.payload)), meta];
  },
  progress(card) {
    const out = [el('span', 'text', ...gist(card.progress ?? card.payload))];
    out.push(el('span', 'who', tinted(el('span', 'face', initials(card.leased_by)), card.leased_by), el('span', 'agent', card.leased_by), el('span', 'left')));
    const meta = el('span', 'meta');
    if (card.escalated_at) meta.append(el('span', 'strikes', 'from the human queue'));
    else if (card.failure_count) meta.append(strikes(card));
    if (card.claim_count > 1) meta.append(el('span', '', `attempt ${card.claim_count}`));
    if (meta.childNodes.length) out.push(meta);
    return out;
  },
  human(card) {
    return [el('span', 'reason', why(card)), el('span', 'text', ...gist(card.payload))];
  },
  done(card) {
    const tail = card.result ?? (card.status === 'cancelled' ? null : card.payload);
    return [el('span', 'text', card.finished_by ? `${card.finished_by}  ` : '', ...gist(tail))];
  },
};

const DEEDS = [['retry', 'Retry'], ['complete', 'Complete'], ['cancel', 'Cancel']];

function deedButtons(card) {
  return DEEDS.map(([verb, label]) => {
    const button = el('button', '', label);
    button.type = 'button';
    button.tabIndex = -1;
    button.dataset.deed = verb;
    button.dataset.id = card.id;
    return button;
  });
}

/** What a card's drawing depends on; drawn anew only when it changes. */
const print = (card) => JSON.stringify([card.status, card.priority, card.payload, card.leased_by, card.claim_count, card.failure_count, card.lapse_count, card.progress, card.result, card.last_failure, card.escalation_reason, card.escalated_at, card.finished_by, card.paused, card.unmet_needs]);

const drawn = new Map();    // id → {node, print}

function draw(card) {
  const mark = print(card);
  let have = drawn.get(card.id);
  if (!have) {
    have = { node: el('li', 'card'), print: '' };
    have.node.dataset.id = card.id;
    drawn.set(card.id, have);
  }
  if (have.print !== mark) {
    have.print = mark;
    const where = column(card);
    let open = $('.open', have.node);
    if (!open) { open = el('button', 'open'); open.type = 'button'; open.tabIndex = -1; have.node.append(open); }
    open.replaceChildren(nameLine(card), el('span', 'when'), ...BODY[where](card));
    $$('.lease, .deeds', have.node).forEach((node) => node.remove());
    have.node.classList.toggle('cancelled', card.status === 'cancelled');
    have.node.classList.remove('ending', 'lapsed');
    if (where === 'progress') have.node.append(el('div', 'lease', el('i')));
    if (where === 'human') have.node.append(el('div', 'deeds', ...deedButtons(card)));
  }
  have.card = card;
  return have.node;
}

function render() {
  dirty = false;
  const all = lists();
  const seen = new Set();
  const focus = document.activeElement?.closest?.('.card');
  const focusDeed = document.activeElement?.dataset?.deed;
  const home = focus?.closest('.column');
  const place = focus ? [...focus.parentNode.children].indexOf(focus) : -1;
  let gap = false;
  for (const name of COLUMNS) {
    const box = $(`.column[data-column="${name}"]`);
    const list = $('.cards', box);
    let spot = list.firstElementChild;
    for (const card of all[name]) {
      seen.add(card.id);
      const node = draw(card);
      if (fresh.has(card.id)) {
        node.classList.remove('fresh');
        void node.offsetWidth;
        node.classList.add('fresh');
      }
      if (node === spot) spot = spot.nextElementSibling;
      else list.insertBefore(node, spot);
    }
    const { n, oldest } = total(name);
    const shown = all[name].length;
    gap ||= shown < Math.min(n, LIMIT);
    // One that was renewed has sunk below what the page does not have.
    if (name === 'progress') gap ||= n > shown && shown > 0 && micros(all[name].at(-1).leased_until) > horizon;
    const most = Math.max(n, shown < LIMIT ? shown : n);
    say($('.count', box), number(most));
    $('.count', box).classList.toggle('zero', most === 0);
    box.classList.toggle('none', shown === 0);
    box.classList.toggle('some', most > 0);
    box.dataset.oldest = oldest || '';
    const more = $('.more', box);
    more.hidden = !(most > shown && shown >= LIMIT);
    say(more, `and ${number(most - shown)} more`);
    const tab = $(`.tabs [data-column="${name}"]`);
    say($('b', tab), number(most));
    tab.classList.toggle('some', most > 0);
  }
  fresh.clear();
  for (const [id, have] of drawn) if (!seen.has(id)) { have.node.remove(); drawn.delete(id); }
  for (const list of $$('.cards')) for (const node of [...list.children]) if (!seen.has(node.dataset.id)) node.remove();
  // The keyboard stays where it was: on its card, else on the one that took its place.
  if (focus && !$('dialog[open]')) {
    const same = drawn.get(focus.dataset.id)?.node;
    if (same && focusDeed && $(`[data-deed="${focusDeed}"]`, same)) $(`[data-deed="${focusDeed}"]`, same).focus({ preventScroll: true });
    else if (same) $('.open', same).focus({ preventScroll: true });
    else focusCard(home, place);
  }
  rove();
  kinds();
  bars();
  ticker();
  link();
  // Some things come to pass without an event (a scheduled task falls due): look again now and then.
  if (gap) wanting = true;
  if (wanting || Date.now() - lastFill > 30_000) refill();
  const people = total('human').n;
  document.title = people ? `(${people}) board` : 'board';
  tick();
}

/** What changes with time alone. */
function tick() {
  const t = now();
  for (const { node, card } of drawn.values()) {
    if (!card) continue;
    const when = $('.when', node);
    if (column(card) === 'progress') {
      say(when, Number.isNaN(at(card.claimed_at)) ? '' : `for ${age(t - at(card.claimed_at))}`);
      const rest = at(card.leased_until) - t;
      const whole = at(card.leased_until) - at(card.heartbeat_at);
      say($('.left', node), rest > 0 ? countdown(rest) : `lapsed ${age(-rest)} ago`);
      $('.lease i', node).style.setProperty('--part', Math.max(0, Math.min(1, rest / whole)).toFixed(4));
      node.classList.toggle('ending', rest > 0 && rest / whole < 0.2);
      node.classList.toggle('lapsed', rest <= 0);
    } else if (card.status === 'scheduled' && at(card.run_at) > t) {
      say(when, `in ${age(at(card.run_at) - t)}`);
    } else {
      say(when, age(t - at(card.escalated_at && column(card) === 'human' ? card.escalated_at : card.finished_at || card.created_at)));
    }
  }
  for (const box of $$('.column')) {
    const oldest = box.dataset.oldest;
    const done = box.dataset.column === 'done';
    const lapsed = box.dataset.column === 'progress' ? total('lapsed').n : 0;
    say($('.age', box), lapsed ? `${number(lapsed)} lapsed, oldest ${age(t - at(oldest))}` : oldest ? (done ? `in 24 h, last ${age(t - at(oldest))} ago` : `oldest ${age(t - at(oldest))}`) : '');
  }
  say($('#clock'), new Date(t).toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', hour12: false }));
  pulse(t);
}

function link() {
  const box = $('#link');
  const lost = state === 'live' && database.state !== 'up';
  box.dataset.state = lost || state === 'lost' ? 'lost' : state;
  say($('span', box), lost ? 'database away' : { live: 'live', connecting: 'reconnecting', lost: 'offline' }[state]);
  const notice = $('#notice');
  notice.hidden = !lost && state !== 'lost';
  if (!notice.hidden) {
    say(notice, lost
      ? `The database has not answered since ${clockTime(at(database.since))}. What you see is from then; it goes on by itself.`
      : 'The relay does not answer. What you see is old; it goes on by itself.');
  }
}

/** How full the budgets are, the ones that hold tasks back first. */
function bars() {
  const box = $('#budgets');
  box.hidden = budgets.length === 0;
  const shown = JSON.stringify(budgets);
  if (box.dataset.shown === shown) return;
  box.dataset.shown = shown;
  box.replaceChildren(...budgets.map(([provider, account, unit, seconds, most, used, reason, free]) => {
    const item = el('li', reason || '');
    const meter = el('meter');
    meter.max = most;
    meter.value = Math.min(used, most);
    const period = seconds >= 86400 ? `${seconds / 86400} d` : seconds >= 3600 ? `${seconds / 3600} h` : seconds >= 60 ? `${seconds / 60} min` : `${seconds} s`;
    const name = account ? `${provider}, ${account}` : provider;
    meter.setAttribute('aria-label', `${name}: ${number(used)} of ${number(most)} ${unit} in ${period}`);
    item.append(el('b', '', name), meter, el('small', '', `${number(used)} of ${number(most)} ${unit} / ${period}`));
    if (reason) item.append(el('em', '', free ? `${reason} until ${new Date(at(free)).toLocaleTimeString()}` : reason));
    return item;
  }));
}

function kinds() {
  const sums = [...counts].map(([kind, cells]) => [kind, COLUMNS.slice(0, 3).reduce((n, name) => n + (cells[name]?.n || 0), 0)]);
  if (filter && !counts.has(filter)) sums.push([filter, 0]);
  sums.sort((a, b) => (a[0] < b[0] ? -1 : 1));
  const select = $('#kind');
  const names = sums.map(([kind]) => kind);
  if (select.dataset.names !== JSON.stringify(names)) {
    select.dataset.names = JSON.stringify(names);
    select.replaceChildren(el('option', '', 'All kinds'), ...names.map((kind) => el('option', '', kind)));
    select.firstElementChild.value = '';
  }
  if (select.value !== filter) select.value = filter;
  const chips = $('#chips');
  const top = sums.length > 14 ? [...sums].sort((a, b) => b[1] - a[1]).slice(0, 14).sort((a, b) => (a[0] < b[0] ? -1 : 1)) : sums;
  const want = JSON.stringify(top.map(([kind]) => kind));
  if (chips.dataset.names !== want) {
    chips.dataset.names = want;
    chips.replaceChildren(...top.map(([kind]) => {
      const chip = el('button', '', tinted(el('i', 'dot'), kind), el('span', '', kind), el('small'));
      chip.type = 'button';
      chip.dataset.kind = kind;
      return chip;
    }));
  }
  top.forEach(([kind, n], i) => {
    const chip = chips.children[i];
    chip.setAttribute('aria-pressed', String(kind === filter));
    say(chip.lastElementChild, number(n));
  });
}

const VERBS = {
  enqueued: 'added', claimed: 'took', extended: 'holds on to', completed: 'completed', failed: 'failed at',
  escalated: 'handed up', expired: 'lost', released: 'gave back', retried: 'sent back', cancelled: 'cancelled',
  replayed: 'replayed', reprioritized: 'moved', paused: 'paused', resumed: 'resumed',
  unblocked: 'unblocked', replaced: 'changed',
};

function ticker() {
  const list = $('#tape ol');
  if (list.dataset.top === String(tape[0]?.seq ?? '')) return;
  list.dataset.top = String(tape[0]?.seq ?? '');
  list.replaceChildren(...tape.map((event) => el('li', '', tinted(el('i', 'dot'), event.kind),
    el('time', '', clockTime(at(event.created_at))), el('b', '', event.actor), `${VERBS[event.type] || event.type} ${event.kind}`)));
}

function pulse(t) {
  const last = Math.floor(t / 5000);
  for (const slot of beats.keys()) if (slot < last - 62) beats.delete(slot);
  const values = Array.from({ length: 61 }, (_, i) => beats.get(last - 60 + i) || 0);
  let minute = 0;
  for (let i = 49; i < 61; i++) minute += values[i];
  say($('#rate'), String(minute));
  const peak = Math.max(4, ...values);
  const points = values.map((v, i) => `${(i * 4).toFixed(1)},${(31 - (v / peak) * 28).toFixed(1)}`);
  $('#pulse .edge').setAttribute('d', 'M' + points.join('L'));
  $('#pulse .area').setAttribute('d', `M0,32L${points.join('L')}L240,32Z`);
}

// One task ---------------------------------------------------------------------------------------

let asking = 0;

async function showTask(id) {
  const box = $('#task');
  const mine = ++asking;
  const first = !box.open || box.dataset.id !== id;
  box.dataset.id = id;
  if (first) {
    const card = cards.get(id);
    paintTask({ task: card && !card.gone ? card : null, id, timeline: null });
    if (!box.open) box.showModal();
    box.scrollTop = 0;
    history.replaceState(null, '', `/tasks/${encodeURIComponent(id)}`);
  }
  try {
    const answer = await fetch(`/tasks/${encodeURIComponent(id)}`, { headers: { Accept: 'application/json' } });
    const data = await answer.json();
    if (mine !== asking || !box.open) return;
    if (answer.ok) paintTask({ ...data, id });
    else paintTask({ task: null, id, timeline: [], problem: data.error?.message || 'no answer' });
  } catch {
    if (mine === asking && box.open && first) $('.timeline', box).replaceChildren(el('li', '', 'The relay does not answer.'));
  }
}

function fact(term, value) {
  return value ? [el('div', '', el('dt', '', term), el('dd', '', value))] : [];
}

const STATUS = {
  blocked: 'waiting for others', pending: 'waiting', scheduled: 'scheduled', in_progress: 'in progress', completed: 'completed',
  escalated: 'in the human queue', cancelled: 'cancelled',
};

function paintTask({ task, id, timeline, problem }) {
  const box = $('#task');
  const kind = task?.kind || timeline?.[0]?.kind || '';
  $('.kindname', box).replaceChildren(...(kind ? [tinted(el('i', 'dot'), kind), kind] : ['Task']));
  say($('h2', box), id);
  const t = now();
  $('.facts', box).replaceChildren(...(task ? [
    ...fact('Status', STATUS[task.status] + (task.paused ? ', paused' : '')),
    ...fact('Held by', task.leased_by),
    ...fact('Lease', task.leased_until && (at(task.leased_until) > t ? `until ${clockTime(at(task.leased_until))}` : 'lapsed')),
    ...fact('Reason', task.status === 'escalated' && why(task)),
    ...fact('Waits for', task.status === 'blocked' && `${task.unmet_needs} that ${task.unmet_needs === 1 ? 'is' : 'are'} not done`),
    ...fact('Holds up', task.holds_up && String(task.holds_up)),
    ...fact('Priority', String(task.priority)),
    ...fact('Attempts', String(task.claim_count)),
    ...fact('Strikes', task.failure_count && String(task.failure_count)),
    ...fact('Added', `${age(t - at(task.created_at))} ago`),
    ...fact('Due', task.status === 'scheduled' && clockTime(at(task.run_at))),
    ...fact('Finished', task.finished_at && `${age(t - at(task.finished_at))} ago${task.finished_by ? ` by ${task.finished_by}` : ''}`),
    ...fact('Unique key', task.unique_key),
    ...fact('Correlation', task.correlation_id),
  ] : problem ? fact('Not here', problem) : timeline ? fact('Status', 'gone from the board; its history stays') : []));
  const deeds = $('.deeds', box);
  if (task?.status === 'escalated') {
    if (!deeds.childElementCount) { deeds.append(...deedButtons({ ...task, id })); $$('button', deeds).forEach((b) => { b.tabIndex = 0; }); }
    $$('button', deeds).forEach((b) => { b.dataset.id = id; });
  } else deeds.replaceChildren();
  const block = (title, value) => (value === null || value === undefined ? [] : [el('h3', '', title), el('pre', '', typeof value === 'string' ? value : JSON.stringify(value, null, 2))]);
  $('.blocks', box).replaceChildren(...(task ? [...block('Payload', task.payload), ...block('Progress', task.progress), ...block('Last failure', task.last_failure), ...block('Result', task.result)] : []));
  $('.timeline', box).replaceChildren(...(timeline || []).map((row) => {
    // The board's words carry the beginning of what was said; here there is room for all of it.
    const said = SPEAKS.has(row.type) && row.payload !== null && !(row.payload.failures !== undefined && row.type === 'escalated');
    const item = el('li', '', el('span', '', said ? row.text.split(/: [{["]/)[0] : row.text), el('time', '', stamp(at(row.created_at))));
    if (said) item.append(el('small', '', ...gist(row.payload)));
    item.dataset.type = row.type;
    return item;
  }));
}

const SPEAKS = new Set(['completed', 'failed', 'escalated', 'retried', 'cancelled']);
const stamp = (ms) => (now() - ms < 86_400_000 ? clockTime(ms) : `${new Date(ms).toLocaleDateString([], { day: 'numeric', month: 'short' })} ${clockTime(ms)}`);

$('#task').addEventListener('close', () => {
  asking++;
  history.replaceState(null, '', '/');
  const node = drawn.get($('#task').dataset.id)?.node;
  if (node) $('.open', node).focus();
});

// Acting on the human queue ----------------------------------------------------------------------

let token = sessionStorage.getItem('token') || '';
let pending = null;         // {verb, id} waiting for a token or for the dialog

const SAYS = {
  retry: ['Retry this task', 'It goes back to waiting with its strikes cleared; the next free agent takes it.', 'Retry', 'Note'],
  complete: ['Complete this task', 'You take the card and complete it in your name: the work is done, by hand or elsewhere.', 'Complete', 'Result'],
  cancel: ['Cancel this task', 'It will not be done. Its history stays, and it can be replayed later.', 'Cancel task', 'Note'],
};

function ask(verb, id) {
  pending = { verb, id };
  if (!token) { $('#token-value').value = ''; $('#token').showModal(); return; }
  const [title, what, label, note] = SAYS[verb];
  say($('#deed-title'), title);
  say($('#deed-what'), what);
  say($('#deed-do'), label);
  $('#deed-label').replaceChildren(`${note} `, el('small', '', 'optional; kept in the task’s history'));
  $('#deed-note').value = '';
  $('#deed-error').hidden = true;
  $('#deed-do').disabled = false;
  $('#deed').showModal();
}

async function post(action, args) {
  const answer = await fetch(`/api/${action}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
    body: JSON.stringify(args),
  });
  const data = await answer.json().catch(() => ({}));
  if (answer.ok) return data.result;
  const error = data.error || {};
  throw Object.assign(new Error([error.message, error.detail, error.hint].filter(Boolean).join('. ') || `Refused (${answer.status}).`), { status: answer.status });
}

function note(text) {
  if (!text.trim()) return null;
  try { return JSON.parse(text); } catch { return { note: text.trim() }; }
}

async function act() {
  const { verb, id } = pending;
  const said = note($('#deed-note').value);
  $('#deed-do').disabled = true;
  try {
    if (verb === 'complete') {
      const held = await post('claim_escalated', { id, ttl: '5 minutes' });
      const card = Array.isArray(held) ? held[0] : held;
      if (!card) throw new Error('Somebody else has just taken this card.');
      await post('complete', { id, result: said, attempt: card.claim_count });
    } else {
      await post(verb, said === null ? { id } : { id, note: said });
    }
    $('#deed').close();
  } catch (error) {
    say($('#deed-error'), error.message);
    $('#deed-error').hidden = false;
    if (error.status === 401) setToken('');
  }
  $('#deed-do').disabled = false;
}

function setToken(value) {
  token = value;
  if (value) sessionStorage.setItem('token', value); else sessionStorage.removeItem('token');
  $('#key').setAttribute('aria-pressed', String(Boolean(value)));
}

$('#deed form').addEventListener('submit', (event) => { event.preventDefault(); if (token) act(); else { $('#deed').close(); ask(pending.verb, pending.id); } });
$('#token form').addEventListener('submit', (event) => {
  event.preventDefault();
  setToken($('#token-value').value.trim());
  $('#token-value').value = '';
  $('#token').close();
  if (token && pending) ask(pending.verb, pending.id);
});
$('#token-forget').addEventListener('click', () => { setToken(''); pending = null; $('#token').close(); });
$('#token').addEventListener('cancel', () => { pending = null; });

// Hands ------------------------------------------------------------------------------------------

function setFilter(kind) {
  if (kind === filter) return;
  filter = kind;
  cards = new Map();
  for (const have of drawn.values()) have.node.remove();
  drawn.clear();
  const url = new URL(location.href);
  if (kind) url.searchParams.set('kind', kind); else url.searchParams.delete('kind');
  history.replaceState(null, '', url);
  start();
}

function setTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
  try { localStorage.setItem('theme', root.dataset.theme); } catch { /* not kept, then */ }
}

/** One card of each column can be reached with Tab; arrows do the rest. */
function rove(chosen = null) {
  for (const box of $$('.column')) {
    const opens = $$('.open', box);
    if (!opens.length) continue;
    const one = chosen && box.contains(chosen) ? chosen : opens.find((node) => node.tabIndex === 0) || opens[0];
    for (const node of opens) if (node.tabIndex !== (node === one ? 0 : -1)) node.tabIndex = node === one ? 0 : -1;
    for (const node of $$('.deeds button', box)) node.tabIndex = node.closest('.card') === one.closest('.card') ? 0 : -1;
  }
}

function focusCard(box, index) {
  const opens = $$('.open', box);
  if (!opens.length) { box.scrollIntoView({ inline: 'start', block: 'nearest' }); return; }
  const node = opens[Math.max(0, Math.min(index, opens.length - 1))];
  rove(node);
  node.focus();
  node.scrollIntoView({ block: 'nearest', inline: 'nearest' });
}

document.addEventListener('focusin', (event) => { if (event.target.matches?.('.open')) rove(event.target); });

document.addEventListener('click', (event) => {
  const target = event.target.closest('button, dialog');
  if (!target) return;
  if (target.matches('dialog')) { if (event.target === target) target.close(); return; }
  if (target.matches('[data-close]')) { if (target.closest('#token, #deed')) pending = null; target.closest('dialog').close(); }
  else if (target.dataset.deed) ask(target.dataset.deed, target.dataset.id);
  else if (target.matches('.open')) showTask(target.closest('.card').dataset.id);
  else if (target.dataset.kind !== undefined) setFilter(target.dataset.kind === filter ? '' : target.dataset.kind);
  else if (target.matches('.tabs button')) $(`.column[data-column="${target.dataset.column}"]`).scrollIntoView({ behavior: 'smooth', inline: 'start', block: 'nearest' });
  else if (target.id === 'theme') setTheme();
  else if (target.id === 'keys') $('#help').showModal();
  else if (target.id === 'key') { pending = null; $('#token').showModal(); }
});

$('#kind').addEventListener('change', (event) => setFilter(event.target.value));

document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $('dialog[open]')) return;
  if (event.target.matches('input, textarea, select')) {
    if (event.key === 'Escape') { setFilter(''); event.target.blur(); }
    if (event.key === 'Enter') focusCard($$('.column').find((one) => $('.open', one)) || $('.column'), 0);
    return;
  }
  const card = event.target.closest?.('.card');
  const box = card?.closest('.column');
  const boxes = $$('.column');
  const index = card ? [...card.parentNode.children].indexOf(card) : 0;
  const beside = (step) => {
    const from = box ? boxes.indexOf(box) : (step > 0 ? -1 : boxes.length);
    for (let i = from + step; i >= 0 && i < boxes.length; i += step) if ($('.open', boxes[i])) return focusCard(boxes[i], box ? index : 0);
    return undefined;
  };
  const keys = {
    ArrowDown: () => (box ? focusCard(box, index + 1) : beside(1)),
    ArrowUp: () => box && focusCard(box, index - 1),
    ArrowRight: () => beside(1),
    ArrowLeft: () => beside(-1),
    Home: () => box && focusCard(box, 0),
    End: () => box && focusCard(box, 1e9),
    1: () => focusCard(boxes[0], 0), 2: () => focusCard(boxes[1], 0), 3: () => focusCard(boxes[2], 0), 4: () => focusCard(boxes[3], 0),
    '/': () => $('#kind').focus(),
    a: () => $('#key').click(),
    t: setTheme,
    '?': () => $('#help').showModal(),
    Escape: () => setFilter(''),
  };
  const deed = { r: 'retry', c: 'complete', x: 'cancel' }[event.key];
  if (deed && box?.dataset.column === 'human') { event.preventDefault(); ask(deed, card.dataset.id); return; }
  if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
});

const inView = new IntersectionObserver((entries) => {
  for (const entry of entries) entry.target.dataset.seen = entry.isIntersecting ? '1' : '';
  const first = $$('.column').find((box) => box.dataset.seen);
  for (const tab of $$('.tabs button')) tab.setAttribute('aria-current', String(tab.dataset.column === first?.dataset.column));
}, { root: $('#board'), threshold: 0.6 });
for (const box of $$('.column')) inView.observe(box);

// A frame for what has changed, a second for what time changes.
let painted = 0;
function frame(t) {
  if (dirty && t - painted > 80) { painted = t; render(); }
  requestAnimationFrame(frame);
}
setInterval(() => {
  if (document.hidden && dirty) render();   // the title calls from a hidden tab, too
  tick();
  if (wanting) refill();
  if (source && Date.now() - lastWord > SILENCE) { setState('connecting'); start(); }
}, 1000);
document.addEventListener('visibilitychange', () => {
  if (!document.hidden && Date.now() - lastWord > SILENCE) start();
});

try { const kept = localStorage.getItem('theme'); if (kept) document.documentElement.dataset.theme = kept; } catch { /* none kept */ }
setToken(token);
filter = new URL(location.href).searchParams.get('kind') || '';
start();
requestAnimationFrame(frame);
const linked = location.pathname.match(/^\/tasks\/([^/]+)$/);
if (linked) showTask(decodeURIComponent(linked[1]));
