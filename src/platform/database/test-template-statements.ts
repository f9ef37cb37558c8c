// The SQL of TestTemplate. The schema name is quoted after UPDATE and INSERT INTO, because no module owns tables of this
// schema: only a test server has them.

/** One lock for all tables, so that no change is half before and half after a template or a reset. */
const LOCK_TABLES = `
  EXECUTE (SELECT format('LOCK TABLE %s IN EXCLUSIVE MODE', string_agg(source, ', ' ORDER BY source))
    FROM latchkey_template.tables HAVING count(*) > 0);`

/** Removes the former template with its triggers. */
export const DROP_TEMPLATE = "DROP SCHEMA IF EXISTS latchkey_template CASCADE"

export const CREATE_SCHEMA = "CREATE SCHEMA latchkey_template"

/**
 * `copy` is null for a table that was empty. `writes` is a sequence: counting with it makes no transaction wait for
 * another, and a count is never rolled back. Partitions belong to the table at the root.
 */
export const CREATE_TABLE_LIST = `
  CREATE TABLE latchkey_template.tables AS
  SELECT c.oid AS id,
    CASE c.relkind WHEN 'p' THEN '' ELSE 'ONLY ' END || format('%I.%I', n.nspname, c.relname) AS source,
    format('%I.%I', n.nspname, c.relname) AS target,
    (SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
      WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = '') AS columns,
    NULL::regclass AS copy, NULL::regclass AS writes, NULL::bigint AS restored_at
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition`

export const CREATE_SEQUENCE_LIST = `
  CREATE TABLE latchkey_template.sequences (sequence regclass, value bigint, is_called boolean)`

export const CREATE_WRITE_COUNTER = `
  CREATE FUNCTION latchkey_template.count_write() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM nextval(TG_ARGV[0]::oid::regclass);
    RETURN NULL;
  END $$`

export const COPY_TABLES = `
  DO $$
  DECLARE
    entry record;
    part regclass;
    has_rows boolean;
  BEGIN
    ${LOCK_TABLES}
    FOR entry IN SELECT * FROM latchkey_template.tables ORDER BY source LOOP
      EXECUTE format('SELECT EXISTS (SELECT FROM %s)', entry.source) INTO has_rows;
      IF has_rows THEN
        EXECUTE format('CREATE TABLE latchkey_template.copy_%s AS SELECT %s FROM %s',
          entry.id, entry.columns, entry.source);
        UPDATE "latchkey_template".tables SET copy = format('latchkey_template.copy_%s', entry.id)::regclass
        WHERE id = entry.id;
      END IF;
      EXECUTE format('CREATE SEQUENCE latchkey_template.writes_%s', entry.id);
      UPDATE "latchkey_template".tables SET writes = format('latchkey_template.writes_%s', entry.id)::regclass
      WHERE id = entry.id;
      FOR part IN SELECT entry.id::regclass UNION SELECT relid FROM pg_partition_tree(entry.id::regclass) LOOP
        EXECUTE format(
          'CREATE TRIGGER latchkey_template AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON %s
             FOR EACH STATEMENT EXECUTE FUNCTION latchkey_template.count_write(%L)',
          part, format('latchkey_template.writes_%s', entry.id)::regclass::oid);
      END LOOP;
    END LOOP;
    FOR entry IN SELECT c.oid::regclass AS name FROM pg_class c
      WHERE c.relkind = 'S' AND c.relnamespace = 'public'::regnamespace
    LOOP
      EXECUTE format(
        'INSERT INTO "latchkey_template".sequences SELECT %L::regclass, last_value, is_called FROM %s',
        entry.name, entry.name);
    END LOOP;
  END $$`

/**
 * As a replica, the session fires no triggers and checks no foreign keys: the copied rows were consistent when they were
 * copied. The function returns the names of the restored tables.
 */
export const CREATE_RESET_FUNCTION = `
  CREATE FUNCTION latchkey_template.reset() RETURNS text[] LANGUAGE plpgsql
    SET session_replication_role = replica AS $$
  DECLARE
    entry record;
    restored text[] := '{}';
  BEGIN
    ${LOCK_TABLES}
    FOR entry IN SELECT * FROM latchkey_template.tables WHERE pg_sequence_last_value(writes) IS DISTINCT FROM restored_at
    LOOP
      EXECUTE 'DELETE FROM ' || entry.source;
      IF entry.copy IS NOT NULL THEN
        EXECUTE format('INSERT INTO %s (%s) OVERRIDING SYSTEM VALUE SELECT %s FROM %s',
          entry.target, entry.columns, entry.columns, entry.copy);
      END IF;
      restored := restored || entry.target;
    END LOOP;
    UPDATE "latchkey_template".tables SET restored_at = pg_sequence_last_value(writes)
    WHERE pg_sequence_last_value(writes) IS DISTINCT FROM restored_at;
    -- setval is never rolled back, so it comes last.
    PERFORM setval(sequence, value, is_called) FROM latchkey_template.sequences;
    RETURN restored;
  END $$`
