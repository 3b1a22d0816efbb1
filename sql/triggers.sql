-- Triggers. Deriving events and announcing them are ordinary triggers: a restore or a replica that
-- applies rows does not run them again. The guards are ENABLE ALWAYS.

-- No other condition than this one on tasks: a WHEN is parsed and planned anew for every statement.
-- enqueue_many inserts with turn 0 and logs its tasks itself.
CREATE OR REPLACE TRIGGER log_insert
    AFTER INSERT ON board.tasks
    FOR EACH ROW WHEN (NEW.turn <> 0)
    EXECUTE FUNCTION board._log_insert();

CREATE OR REPLACE TRIGGER log_update
    AFTER UPDATE ON board.tasks
    FOR EACH ROW EXECUTE FUNCTION board._log_update();

CREATE OR REPLACE TRIGGER keep_open_tasks
    BEFORE DELETE ON board.tasks
    FOR EACH ROW EXECUTE FUNCTION board._protect_open_tasks();

CREATE OR REPLACE TRIGGER keep_open_tasks_truncate
    BEFORE TRUNCATE ON board.tasks
    FOR EACH STATEMENT EXECUTE FUNCTION board._protect_open_tasks();

ALTER TABLE board.tasks ENABLE ALWAYS TRIGGER keep_open_tasks;
ALTER TABLE board.tasks ENABLE ALWAYS TRIGGER keep_open_tasks_truncate;


-- Without a condition: that would be parsed and planned anew for every event.
CREATE OR REPLACE TRIGGER notify
    AFTER INSERT ON board.task_events
    FOR EACH ROW EXECUTE FUNCTION board._notify_event();

DROP TRIGGER IF EXISTS ring ON board.doorbell_calls;
CREATE CONSTRAINT TRIGGER ring
    AFTER INSERT ON board.doorbell_calls
    DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION board._notify_doorbell();

CREATE OR REPLACE TRIGGER append_only
    BEFORE UPDATE OR DELETE ON board.task_events
    FOR EACH ROW EXECUTE FUNCTION board._append_only();

CREATE OR REPLACE TRIGGER append_only_truncate
    BEFORE TRUNCATE ON board.task_events
    FOR EACH STATEMENT EXECUTE FUNCTION board._append_only();

CREATE OR REPLACE TRIGGER note_pruning
    AFTER DELETE ON board.task_events
    REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION board._record_pruned_events();

ALTER TABLE board.task_events ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE board.task_events ENABLE ALWAYS TRIGGER append_only_truncate;
ALTER TABLE board.task_events ENABLE ALWAYS TRIGGER note_pruning;


CREATE OR REPLACE TRIGGER append_only
    BEFORE UPDATE OR DELETE ON board.audit_log
    FOR EACH ROW EXECUTE FUNCTION board._append_only();

CREATE OR REPLACE TRIGGER append_only_truncate
    BEFORE TRUNCATE ON board.audit_log
    FOR EACH STATEMENT EXECUTE FUNCTION board._append_only();

ALTER TABLE board.audit_log ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE board.audit_log ENABLE ALWAYS TRIGGER append_only_truncate;


-- Tables that an installation fills: what a dump brings takes the place of what it put there.

CREATE OR REPLACE TRIGGER make_room
    BEFORE INSERT ON board.settings
    FOR EACH ROW EXECUTE FUNCTION board._replace_singleton();

CREATE OR REPLACE TRIGGER make_room
    BEFORE INSERT ON board.event_horizon
    FOR EACH ROW EXECUTE FUNCTION board._replace_event_horizon();

CREATE OR REPLACE TRIGGER make_room
    BEFORE INSERT ON board.doorbells
    FOR EACH ROW EXECUTE FUNCTION board._replace_doorbell();

CREATE OR REPLACE TRIGGER make_room
    BEFORE INSERT ON board.needs_graph
    FOR EACH ROW EXECUTE FUNCTION board._replace_needs_graph();

ALTER TABLE board.settings ENABLE ALWAYS TRIGGER make_room;
ALTER TABLE board.event_horizon ENABLE ALWAYS TRIGGER make_room;
ALTER TABLE board.doorbells ENABLE ALWAYS TRIGGER make_room;
ALTER TABLE board.needs_graph ENABLE ALWAYS TRIGGER make_room;

-- A row older than its transaction is one that a dump brings: it is no news.
CREATE OR REPLACE TRIGGER wake_agents
    AFTER INSERT ON board.audit_log
    FOR EACH ROW WHEN (NEW.created_at >= transaction_timestamp()
                       AND NEW.action IN ('resume', 'configure_kind', 'configure_provider',
                                          'set_limit', 'drop_limit', 'unthrottle', 'promote',
                                          'schedule'))
    EXECUTE FUNCTION board._notify_policy_change();


-- What claim has to know of kinds and agents stands derived in the one row of settings.

CREATE OR REPLACE TRIGGER derive_policy
    AFTER INSERT OR UPDATE OR DELETE ON board.kinds
    FOR EACH STATEMENT EXECUTE FUNCTION board._derive_policy();

CREATE OR REPLACE TRIGGER derive_policy
    AFTER INSERT OR UPDATE OR DELETE ON board.agents
    FOR EACH STATEMENT EXECUTE FUNCTION board._derive_policy();
