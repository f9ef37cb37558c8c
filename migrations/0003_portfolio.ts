import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// What an operator lets and how it sorts it: details of properties, room types, groups, both kinds of tags, and how much
// of each an operator may have.
//
// Lists that are replaced as a whole carry a version. The owner says which version counts, a replacement raises it, and
// rows of former versions mean nothing, whether or not they were cleared away. So of two replacements at once the
// second, which waits for the owner's row but cannot see the rows the first one inserts, still leaves the whole of its
// own list and nothing else. The views named current_… show the rows that count; read those.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Defaults of a new operator; the numbers are also in src/platform/limits.ts.
  yield* sql`
    ALTER TABLE operators
      ADD room_limit integer NOT NULL DEFAULT 100 CHECK (room_limit >= 0),
      ADD room_type_limit integer NOT NULL DEFAULT 50 CHECK (room_type_limit >= 0),
      ADD property_tag_limit integer NOT NULL DEFAULT 500 CHECK (property_tag_limit >= 0),
      ADD reservation_tag_limit integer NOT NULL DEFAULT 500 CHECK (reservation_tag_limit >= 0),
      ADD default_checkin_time time NOT NULL DEFAULT '15:00',
      ADD default_checkout_time time NOT NULL DEFAULT '11:00'`

  // A time of the property's own stands before the operator's.
  yield* sql`
    ALTER TABLE properties
      ADD address text,
      ADD longitude text,
      ADD latitude text,
      ADD cover_url text,
      ADD checkin_time time,
      ADD checkout_time time,
      ADD CONSTRAINT properties_title UNIQUE (operator_id, title)`

  yield* sql`
    CREATE TABLE room_types (
      operator_id bigint NOT NULL REFERENCES operators (id),
      id bigint GENERATED ALWAYS AS IDENTITY,
      title text NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, id),
      CONSTRAINT room_types_title UNIQUE (operator_id, title)
    )`

  // A property is of one room type at most, which is the key.
  yield* sql`
    CREATE TABLE room_type_properties (
      operator_id bigint NOT NULL,
      property_id bigint NOT NULL,
      room_type_id bigint NOT NULL,
      CONSTRAINT room_type_properties_one PRIMARY KEY (operator_id, property_id),
      FOREIGN KEY (operator_id, property_id) REFERENCES properties (operator_id, id) ON DELETE CASCADE,
      FOREIGN KEY (operator_id, room_type_id) REFERENCES room_types (operator_id, id) ON DELETE CASCADE
    )`
  yield* sql`CREATE INDEX room_type_properties_type ON room_type_properties (operator_id, room_type_id)`

  yield* sql`
    CREATE TABLE property_groups (
      operator_id bigint NOT NULL REFERENCES operators (id),
      id bigint GENERATED ALWAYS AS IDENTITY,
      name text NOT NULL,
      properties_version bigint NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (operator_id, id),
      CONSTRAINT property_groups_name UNIQUE (operator_id, name)
    )`
  yield* sql`
    CREATE TABLE group_properties (
      operator_id bigint NOT NULL,
      group_id bigint NOT NULL,
      version bigint NOT NULL,
      property_id bigint NOT NULL,
      PRIMARY KEY (operator_id, group_id, version, property_id),
      FOREIGN KEY (operator_id, group_id) REFERENCES property_groups (operator_id, id) ON DELETE CASCADE,
      FOREIGN KEY (operator_id, property_id) REFERENCES properties (operator_id, id) ON DELETE CASCADE
    )`
  yield* sql`CREATE INDEX group_properties_property ON group_properties (operator_id, property_id)`
  yield* sql`
    CREATE VIEW current_group_properties AS
    SELECT link.operator_id, link.group_id, link.property_id
    FROM group_properties link
    JOIN property_groups g ON g.operator_id = link.operator_id AND g.id = link.group_id AND g.properties_version = link.version`

  // A deleted tag keeps its row, so that a new one of that name is the same tag again. Deleting raises the versions.
  yield* sql`
    CREATE TABLE property_tags (
      operator_id bigint NOT NULL REFERENCES operators (id),
      id bigint GENERATED ALWAYS AS IDENTITY,
      name text NOT NULL,
      color text NOT NULL,
      properties_version bigint NOT NULL DEFAULT 0,
      room_types_version bigint NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL,
      deleted_at timestamptz,
      PRIMARY KEY (operator_id, id),
      CONSTRAINT property_tags_name UNIQUE (operator_id, name)
    )`
  yield* sql`
    CREATE TABLE tag_properties (
      operator_id bigint NOT NULL,
      tag_id bigint NOT NULL,
      version bigint NOT NULL,
      property_id bigint NOT NULL,
      PRIMARY KEY (operator_id, tag_id, version, property_id),
      FOREIGN KEY (operator_id, tag_id) REFERENCES property_tags (operator_id, id) ON DELETE CASCADE,
      FOREIGN KEY (operator_id, property_id) REFERENCES properties (operator_id, id) ON DELETE CASCADE
    )`
  yield* sql`CREATE INDEX tag_properties_property ON tag_properties (operator_id, property_id)`
  yield* sql`
    CREATE VIEW current_tag_properties AS
    SELECT link.operator_id, link.tag_id, link.property_id
    FROM tag_properties link
    JOIN property_tags t ON t.operator_id = link.operator_id AND t.id = link.tag_id AND t.properties_version = link.version`
  yield* sql`
    CREATE TABLE tag_room_types (
      operator_id bigint NOT NULL,
      tag_id bigint NOT NULL,
      version bigint NOT NULL,
      room_type_id bigint NOT NULL,
      PRIMARY KEY (operator_id, tag_id, version, room_type_id),
      FOREIGN KEY (operator_id, tag_id) REFERENCES property_tags (operator_id, id) ON DELETE CASCADE,
      FOREIGN KEY (operator_id, room_type_id) REFERENCES room_types (operator_id, id) ON DELETE CASCADE
    )`
  yield* sql`CREATE INDEX tag_room_types_room_type ON tag_room_types (operator_id, room_type_id)`
  yield* sql`
    CREATE VIEW current_tag_room_types AS
    SELECT link.operator_id, link.tag_id, link.room_type_id
    FROM tag_room_types link
    JOIN property_tags t ON t.operator_id = link.operator_id AND t.id = link.tag_id AND t.room_types_version = link.version`

  // Tags for stays. Everybody has the default ones; ids below 1001 are theirs.
  yield* sql`
    CREATE TABLE default_reservation_tags (
      id bigint PRIMARY KEY CHECK (id BETWEEN 1 AND 1000),
      tag_name text NOT NULL UNIQUE,
      color text NOT NULL
    )`
  yield* sql`
    INSERT INTO default_reservation_tags (id, tag_name, color) VALUES
      (1, 'VIP', '#F3D432'),
      (2, 'Returning guest', '#1BBFA4'),
      (3, 'Early check-in', '#2CBCFD'),
      (4, 'Late check-out', '#7175FA'),
      (5, 'Late arrival', '#FFA410'),
      (6, 'Long stay', '#EF7EDE'),
      (7, 'Invoice needed', '#2CBCFD'),
      (8, 'Needs attention', '#FD587B')`
  yield* sql`
    CREATE TABLE reservation_tags (
      operator_id bigint NOT NULL REFERENCES operators (id),
      id bigint GENERATED ALWAYS AS IDENTITY (START WITH 1001),
      tag_name text NOT NULL,
      color text NOT NULL,
      stays_version bigint NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL,
      deleted_at timestamptz,
      PRIMARY KEY (operator_id, id),
      CONSTRAINT reservation_tags_name UNIQUE (operator_id, tag_name)
    )`
  // A link of a stay to a tag keeps the stays_version it was made under and is joined by it here: then deleting a tag
  // removes its links, and restoring it does not bring them back (specification, DELETE /reservation_tags/{id}).
  yield* sql`
    CREATE VIEW usable_reservation_tags AS
    SELECT o.id AS operator_id, t.id, t.tag_name, t.color, true AS is_default, 0::bigint AS stays_version
    FROM operators o CROSS JOIN default_reservation_tags t
    UNION ALL
    SELECT operator_id, id, tag_name, color, false, stays_version FROM reservation_tags WHERE deleted_at IS NULL`

  // The limit of an operator as a constraint named by its column. Counting where the row is inserted would not do: a
  // statement sees what was committed before it began, so two at once would each see the last free place. The
  // statements of a function begin one by one, the count after the lock, and the lock is held until the end.
  yield* sql`
    CREATE FUNCTION refuse_above_limit() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      most integer;
      used bigint;
    BEGIN
      EXECUTE format('SELECT %I FROM operators WHERE id = $1 FOR NO KEY UPDATE', TG_ARGV[0])
        INTO most USING NEW.operator_id;
      EXECUTE format('SELECT count(*) FROM %I WHERE operator_id = $1 AND %s', TG_TABLE_NAME, TG_ARGV[1])
        INTO used USING NEW.operator_id;
      IF used > most THEN
        RAISE EXCEPTION USING
          ERRCODE = 'check_violation', CONSTRAINT = TG_ARGV[0], DETAIL = most,
          MESSAGE = format('%s of operator %s is %s', TG_ARGV[0], NEW.operator_id, most);
      END IF;
      RETURN NULL;
    END $$`
  yield* sql`
    CREATE TRIGGER properties_limit AFTER INSERT ON properties
      FOR EACH ROW EXECUTE FUNCTION refuse_above_limit('room_limit', 'true')`
  yield* sql`
    CREATE TRIGGER room_types_limit AFTER INSERT ON room_types
      FOR EACH ROW EXECUTE FUNCTION refuse_above_limit('room_type_limit', 'true')`
  yield* sql`
    CREATE TRIGGER property_tags_limit AFTER INSERT ON property_tags
      FOR EACH ROW EXECUTE FUNCTION refuse_above_limit('property_tag_limit', 'deleted_at IS NULL')`
  yield* sql`
    CREATE TRIGGER property_tags_restored AFTER UPDATE OF deleted_at ON property_tags
      FOR EACH ROW WHEN (OLD.deleted_at IS NOT NULL AND NEW.deleted_at IS NULL)
      EXECUTE FUNCTION refuse_above_limit('property_tag_limit', 'deleted_at IS NULL')`
  yield* sql`
    CREATE TRIGGER reservation_tags_limit AFTER INSERT ON reservation_tags
      FOR EACH ROW EXECUTE FUNCTION refuse_above_limit('reservation_tag_limit', 'deleted_at IS NULL')`
  yield* sql`
    CREATE TRIGGER reservation_tags_restored AFTER UPDATE OF deleted_at ON reservation_tags
      FOR EACH ROW WHEN (OLD.deleted_at IS NOT NULL AND NEW.deleted_at IS NULL)
      EXECUTE FUNCTION refuse_above_limit('reservation_tag_limit', 'deleted_at IS NULL')`
})
