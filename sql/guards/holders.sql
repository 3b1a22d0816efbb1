                -- Who holds such a lock, as far as this role may see it.
                SELECT COALESCE(string_agg(h.told, '; '), 'It was gone a moment later.')
                FROM (
                    SELECT DISTINCT COALESCE(
                        format('pid %s (%s), role %s, %s', a.pid,
                               COALESCE(NULLIF(a.application_name, ''), a.backend_type,
                                        'no application name'),
                               COALESCE(a.usename, 'unknown'),
                               COALESCE(a.state || ' since '
                                            || date_trunc('second', a.state_change)
                                            || ', transaction since '
                                            || date_trunc('second', a.xact_start),
                                        'not for this role to see')),
                        (SELECT format('prepared transaction %L of %s since %s',
                                       x.gid, x.owner, date_trunc('second', x.prepared))
                         FROM pg_prepared_xacts AS x
                         WHERE '-1/' || x.transaction = l.virtualtransaction),
                        'a prepared transaction') AS told
                    FROM pg_locks AS l
                    LEFT JOIN pg_stat_activity AS a ON a.pid = l.pid
                    WHERE l.granted AND l.pid IS DISTINCT FROM pg_backend_pid()
                      AND @WHICH@
                ) AS h
