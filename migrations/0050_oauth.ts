import { Effect } from "effect"
import { SqlClient } from "effect/sql"

// Who may ask hosts for access (clients), what hosts have given (grants), and what stands for it on its way: codes, and
// refresh tokens. Access tokens are the rows there are, with the grant they are of. Of every secret only its digest is kept.

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  // Without a secret it is the public client, which is one for everybody.
  yield* sql`
    CREATE TABLE oauth_clients (
      id text PRIMARY KEY,
      name text NOT NULL,
      redirect_uris text[] NOT NULL,
      secret_digest bytea,
      created_at timestamptz NOT NULL,
      rotated_at timestamptz,
      disabled_at timestamptz
    )`
  yield* sql`
    INSERT INTO oauth_clients (id, name, redirect_uris, created_at) VALUES ('service_mcp', 'MCP client', '{}', now())`

  // Where the public client may be led back to: what its users registered, ports of loopback addresses left out. used_at: when a
  // host last consented to one.
  yield* sql`
    CREATE TABLE oauth_redirects (
      uri text PRIMARY KEY,
      registered_at timestamptz NOT NULL,
      used_at timestamptz
    )`
  yield* sql`CREATE INDEX oauth_redirects_unused ON oauth_redirects (registered_at) WHERE used_at IS NULL`

  // name: what the host sees of the application. deployment: the one that gave it, which renews it. last_used_at: of those of its tokens that are forgotten already.
  yield* sql`
    CREATE TABLE oauth_grants (
      operator_id bigint NOT NULL,
      id bigint GENERATED ALWAYS AS IDENTITY,
      account_id bigint NOT NULL,
      client_id text NOT NULL REFERENCES oauth_clients (id),
      name text NOT NULL,
      scope text NOT NULL CHECK (scope IN ('read-only', 'writable')),
      deployment text NOT NULL DEFAULT 'international',
      created_at timestamptz NOT NULL,
      last_used_at timestamptz,
      ended_at timestamptz,
      ended_by text CHECK (ended_by IN ('host', 'application', 'reuse', 'client', 'time')),
      PRIMARY KEY (operator_id, id),
      CHECK ((ended_at IS NULL) = (ended_by IS NULL)),
      FOREIGN KEY (operator_id, account_id) REFERENCES accounts (operator_id, id)
    )`
  yield* sql`CREATE INDEX oauth_grants_live ON oauth_grants (operator_id, account_id, id) WHERE ended_at IS NULL`
  yield* sql`CREATE INDEX oauth_grants_of_clients ON oauth_grants (client_id, operator_id, id) WHERE ended_at IS NULL`
  yield* sql`CREATE INDEX oauth_grants_ended ON oauth_grants (ended_at) WHERE ended_at IS NOT NULL`

  // grant_id: what came of it. dead_at: it was given with a wrong verifier, and is good for nothing more.
  yield* sql`
    CREATE TABLE oauth_codes (
      operator_id bigint NOT NULL,
      digest bytea NOT NULL,
      account_id bigint NOT NULL,
      client_id text NOT NULL REFERENCES oauth_clients (id),
      scope text NOT NULL CHECK (scope IN ('read-only', 'writable')),
      deployment text NOT NULL DEFAULT 'international',
      redirect_uri text NOT NULL,
      challenge text,
      resource text,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      used_at timestamptz,
      dead_at timestamptz,
      grant_id bigint,
      PRIMARY KEY (digest),
      FOREIGN KEY (operator_id, account_id) REFERENCES accounts (operator_id, id),
      FOREIGN KEY (operator_id, grant_id) REFERENCES oauth_grants (operator_id, id)
    )`
  yield* sql`CREATE INDEX oauth_codes_expired ON oauth_codes (expires_at)`
  yield* sql`CREATE INDEX oauth_codes_of_accounts ON oauth_codes (operator_id, account_id, expires_at)`
  yield* sql`CREATE INDEX oauth_codes_of_grants ON oauth_codes (operator_id, grant_id) WHERE grant_id IS NOT NULL`

  // The one of a grant that is not used is the live one. answer: for a few seconds after its use what was answered then, sealed
  // with the token itself, so that who lost the answer can have it again and who has only the table cannot.
  yield* sql`
    CREATE TABLE oauth_refresh_tokens (
      operator_id bigint NOT NULL,
      digest bytea NOT NULL,
      grant_id bigint NOT NULL,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      used_at timestamptz,
      answer bytea,
      PRIMARY KEY (digest),
      FOREIGN KEY (operator_id, grant_id) REFERENCES oauth_grants (operator_id, id)
    )`
  yield* sql`CREATE INDEX oauth_refresh_tokens_of_grants ON oauth_refresh_tokens (operator_id, grant_id, created_at)`
  yield* sql`CREATE INDEX oauth_refresh_tokens_expired ON oauth_refresh_tokens (expires_at) WHERE used_at IS NULL`
  yield* sql`CREATE INDEX oauth_refresh_tokens_used ON oauth_refresh_tokens (used_at) WHERE used_at IS NOT NULL`
  yield* sql`CREATE INDEX oauth_refresh_tokens_answered ON oauth_refresh_tokens (used_at) WHERE answer IS NOT NULL`

  // How much an account may have at once. As refuse_above_limit: whoever adds waits for who adds to the same account, and counts
  // then, by a statement of its own, which sees what the other has committed.
  yield* sql`
    CREATE FUNCTION refuse_above_limit_of_account() RETURNS trigger LANGUAGE plpgsql AS $$
    DECLARE
      used bigint;
    BEGIN
      PERFORM FROM accounts WHERE operator_id = NEW.operator_id AND id = NEW.account_id FOR NO KEY UPDATE;
      EXECUTE format('SELECT count(*) FROM %I WHERE operator_id = $1 AND account_id = $2 AND %s', TG_TABLE_NAME, TG_ARGV[2])
        INTO used USING NEW.operator_id, NEW.account_id, NEW.created_at;
      IF used > TG_ARGV[1]::bigint THEN
        RAISE EXCEPTION USING
          ERRCODE = 'check_violation', CONSTRAINT = TG_ARGV[0], DETAIL = TG_ARGV[1],
          MESSAGE = format('%s of account %s is %s', TG_ARGV[0], NEW.account_id, TG_ARGV[1]);
      END IF;
      RETURN NULL;
    END $$`
  // 100 and 20 are OAUTH_CONNECTIONS_MAX and OAUTH_CODES_MAX (src/platform/limits.ts).
  yield* sql`
    CREATE TRIGGER oauth_grants_limit AFTER INSERT ON oauth_grants
      FOR EACH ROW EXECUTE FUNCTION refuse_above_limit_of_account('oauth_connections', '100', 'ended_at IS NULL')`
  yield* sql`
    CREATE TRIGGER oauth_codes_limit AFTER INSERT ON oauth_codes
      FOR EACH ROW EXECUTE FUNCTION refuse_above_limit_of_account('oauth_codes', '20', 'expires_at > $3')`
})
