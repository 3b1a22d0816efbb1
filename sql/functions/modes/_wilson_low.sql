CREATE OR REPLACE FUNCTION board._wilson_low(
    successes bigint,
    trials    bigint)
RETURNS numeric
LANGUAGE sql
IMMUTABLE PARALLEL SAFE
SET search_path = pg_catalog, pg_temp
AS $$
    -- Wilson 1927, with counts in place of proportions; z = 1.96 leaves 2.5 % on either side, so
    -- z * z = 3.8416. The square root cannot see a negative value: 0 <= successes <= trials.
    SELECT CASE
               WHEN trials > 0 THEN
                   (successes + 1.9208
                       - 1.96 * sqrt(successes * (trials - successes)::numeric / trials + 0.9604))
                   / (trials + 3.8416)
               ELSE 0
           END;
$$;

COMMENT ON FUNCTION board._wilson_low IS
    'Private: lower end of the two-sided 95 % Wilson score interval (z = 1.96) of successes among '
    'trials; 0 without trials. Source: E. B. Wilson, JASA 22 (1927), 209.';
