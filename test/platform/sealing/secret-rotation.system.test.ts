import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CONNECTOR_CACHE_TTL_MS, ConnectorCache } from "../../../src/connectors/http/ConnectorCache.ts"
import { layerSealing } from "../../../src/platform/sealing/CurrentSealer.ts"
import { countOutdatedTexts, findMissingKeyIds, loadKeyUsage } from "../../../src/platform/sealing/key-usage.ts"
import { connectorSecretBinding } from "../../../src/platform/sealing/sealed-columns.ts"
import { toStoredText } from "../../../src/platform/sealing/sealed-text.ts"
import type { SecretKeys } from "../../../src/platform/sealing/secret-keys.ts"
import { ROTATION_BATCH_ROWS, rotateSecrets } from "../../../src/platform/sealing/secret-rotation.ts"
import { requireSecretKeys } from "../../../src/platform/sealing/startup-check.ts"
import { getOrCreateFeedAddress } from "../../support/domain/calendars/feed-addresses.ts"
import { addImportedCalendar } from "../../support/domain/calendars/imported-calendars/import-service.ts"
import { createSubscription } from "../../support/domain/webhooks/deliveries/delivery-service.ts"
import { callForResponse, createOperator, insertProperty } from "../../support/harness.ts"
import {
  FIRST_KEY,
  findTablesWithTexts,
  layerSealedService,
  loadSealableTexts,
  parseKeys,
  SECOND_KEY
} from "../../support/platform/sealing/sealed-service.ts"

const CONNECTORS = ROTATION_BATCH_ROWS * 2 + 1

/** More connectors than two steps take, their secrets as these keys keep them. */
const connectors = Effect.fnUntraced(function* (keys: SecretKeys) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`TRUNCATE connectors RESTART IDENTITY CASCADE`
  const secrets = Array.from({ length: CONNECTORS }, (_, at) =>
    toStoredText(keys, connectorSecretBinding(at + 1), `whsec_${at + 1}`)
  )
  yield* sql`
    INSERT INTO connectors (name, url, secret, created_at)
    SELECT 'c' || n, 'http://127.0.0.1:9/', secret, now() FROM unnest(${secrets}::text[]) WITH ORDINALITY AS s (secret, n)
    ORDER BY n`
}, Effect.orDie)

const secretsOf = Effect.fnUntraced(function* () {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql<{ secret: string }>`SELECT secret FROM connectors ORDER BY id`).map(({ secret }) => secret)
}, Effect.orDie)

const idOf = (keys: SecretKeys) => keys.current?.id ?? ""
const sealedWith = (texts: ReadonlyArray<string>, keys: SecretKeys) =>
  texts.filter((text) => text.startsWith(`sealed:1:${idOf(keys)}:`)).length

const [first, second, both, clear] = [
  parseKeys(FIRST_KEY),
  parseKeys(SECOND_KEY),
  parseKeys(SECOND_KEY, FIRST_KEY),
  parseKeys("clear", SECOND_KEY, FIRST_KEY)
]

/** The database fails at a connector, as it would where the command is killed: what is done before stays. */
const failingAt = (id: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`
      CREATE FUNCTION fail_here() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        RAISE EXCEPTION 'cut off';
      END $$`
    yield* sql.unsafe(`
      CREATE TRIGGER fail_here BEFORE UPDATE ON connectors FOR EACH ROW WHEN (NEW.id = ${id})
      EXECUTE FUNCTION fail_here()`)
  }).pipe(Effect.orDie)

const failingNoMore = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DROP TRIGGER fail_here ON connectors`
  yield* sql`DROP FUNCTION fail_here()`
}).pipe(Effect.orDie)

/** Before the first write of connectors something else is done, as where another process is faster. */
const overtaken = (sql: SqlClient.SqlClient, change: Effect.Effect<unknown, unknown>): SqlClient.SqlClient => {
  let isDone = false
  return new Proxy(sql, {
    get: (target, name, itself) => {
      if (name !== "unsafe") return Reflect.get(target, name, itself)
      return (text: string, parameters?: ReadonlyArray<unknown>) => {
        const statement = sql.unsafe(text, parameters)
        if (isDone || !text.includes("UPDATE connectors")) return statement
        isDone = true
        return Effect.andThen(Effect.orDie(change), statement)
      }
    }
  })
}

layer(layerSealedService(first))("sealing anew", (it) => {
  it.effect("goes through every column, and nothing is left under another key, or in the clear", () =>
    Effect.gen(function* () {
      const { operatorId, token } = yield* createOperator()
      const property = yield* insertProperty(operatorId, "Harbour 1")
      yield* connectors(first)
      const { secret } = yield* createSubscription(9)
      yield* addImportedCalendar(property, "https://example.com/calendar.ics?s=SECRETSECRET")
      const feed = yield* getOrCreateFeedAddress(operatorId, property)
      const link = () => callForResponse(token, "create_calendar_share_link", { scope: "entire" }, "link")
      const made = (yield* link()).envelope.data
      // What is kept of other calls has neither a token nor an id.
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO idempotency_keys (operator_id, digest, fingerprint, outcome, kept_at)
        SELECT ${operatorId}, sha256(outcome::text::bytea), '\\x00', outcome, now()
        FROM unnest(ARRAY['{"found": true}', '[]', '"x"', '{"token": null}', '{"token": "x"}']::jsonb[]) outcome`

      const done = yield* rotateSecrets(both)
      assert.strictEqual(done.left, 0)
      const counted = Object.fromEntries(done.places.map(({ place, texts }) => [place, texts]))
      assert.deepInclude(counted, {
        "webhook_subscriptions.secret": 1,
        "webhook_receivers.secret_token": 1,
        "connectors.secret": CONNECTORS,
        "imported_calendars.url": 1,
        "property_feeds.token": 1,
        "calendar_share_links.token": 1,
        "idempotency_keys.outcome.token": 1
      })
      for (const [name, texts] of yield* loadSealableTexts())
        assert.strictEqual(sealedWith(texts, second), texts.length, name)
      assert.deepStrictEqual(findMissingKeyIds(yield* loadKeyUsage, second), [])
      assert.deepStrictEqual(findMissingKeyIds(yield* loadKeyUsage, first), [idOf(second)])
      assert.deepStrictEqual(
        (yield* rotateSecrets(both)).places.filter(({ texts }) => texts > 0),
        []
      )

      assert.strictEqual((yield* rotateSecrets(clear)).left, 0)
      assert.strictEqual(countOutdatedTexts(yield* loadKeyUsage, clear), 0)
      assert.deepStrictEqual(yield* findTablesWithTexts([secret]), ["webhook_subscriptions"])
      assert.deepStrictEqual(yield* findTablesWithTexts(["SECRETSECRET"]), ["imported_calendars"])
      assert.strictEqual((yield* getOrCreateFeedAddress(operatorId, property)).url, feed.url)
      assert.deepStrictEqual((yield* link()).envelope.data, made)

      assert.strictEqual((yield* rotateSecrets(first)).left, 0)
      assert.deepStrictEqual(yield* findTablesWithTexts([secret, "SECRETSECRET", feed.url.slice(-36)]), [])
      assert.deepStrictEqual((yield* link()).envelope.data, made)
    })
  )

  it.effect("that was cut off goes on where it is run again", () =>
    Effect.gen(function* () {
      yield* connectors(first)
      yield* failingAt(ROTATION_BATCH_ROWS + 1)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(rotateSecrets(both))))
      assert.strictEqual(sealedWith(yield* secretsOf(), second), ROTATION_BATCH_ROWS)
      assert.strictEqual(sealedWith(yield* secretsOf(), first), CONNECTORS - ROTATION_BATCH_ROWS)
      yield* failingNoMore
      const { places, left } = yield* rotateSecrets(both)
      assert.strictEqual(left, 0)
      const again = places.find(({ place }) => place === "connectors.secret")
      assert.strictEqual(again?.texts, CONNECTORS - ROTATION_BATCH_ROWS)
      assert.strictEqual(sealedWith(yield* secretsOf(), second), CONNECTORS)
    })
  )

  it.effect("overwrites nothing that somebody else has written meanwhile, and seals that too", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.now())
      yield* connectors(first)
      const sql = yield* SqlClient.SqlClient
      const written = toStoredText(first, connectorSecretBinding(2), "whsec_newer")
      const change = sql`UPDATE connectors SET secret = ${written} WHERE id = 2`
      const { left } = yield* rotateSecrets(both).pipe(
        Effect.provideService(SqlClient.SqlClient, overtaken(sql, change))
      )
      assert.strictEqual(left, 0)
      assert.strictEqual(sealedWith(yield* secretsOf(), second), CONNECTORS)
      yield* rotateSecrets(parseKeys(FIRST_KEY, SECOND_KEY))
      yield* TestClock.adjust(CONNECTOR_CACHE_TTL_MS)
      const known = yield* ConnectorCache
      assert.strictEqual(Redacted.value((yield* known.find(2))?.secrets[0] ?? Redacted.make("")), "whsec_newer")
      assert.strictEqual(Redacted.value((yield* known.find(3))?.secrets[0] ?? Redacted.make("")), "whsec_3")
    })
  )

  it.effect("leaves what nobody can open as it is, and says how many there are", () =>
    Effect.gen(function* () {
      yield* connectors(first)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE connectors SET secret = (SELECT secret FROM connectors WHERE id = 1) WHERE id = 2`
      const before = (yield* secretsOf())[1]
      assert.strictEqual((yield* rotateSecrets(both)).left, 1)
      assert.strictEqual((yield* secretsOf())[1], before)
    })
  )
})

layer(layerSealedService(first))("a start", (it) => {
  const started = (keys: SecretKeys | undefined) => Effect.exit(Effect.provide(requireSecretKeys, layerSealing(keys)))
  const saidBy = <A, E>(exit: Exit.Exit<A, E>) =>
    Exit.isFailure(exit) ? String(Cause.squash(exit.cause)) : "it started"

  it.effect("is refused where a key is missing, by its id, and goes on where all are there or nothing is sealed", () =>
    Effect.gen(function* () {
      assert.strictEqual(saidBy(yield* started(undefined)), "it started")
      yield* connectors(first)
      for (const keys of [undefined, second, parseKeys("clear", SECOND_KEY)]) {
        assert.match(saidBy(yield* started(keys)), new RegExp(`SECRET_KEY: .*\\b${idOf(first)}\\b`))
      }
      for (const keys of [first, both, clear]) assert.strictEqual(saidBy(yield* started(keys)), "it started")
    })
  )

  it.effect("finds a key that was dropped before all was sealed anew: what is left is at the end", () =>
    Effect.gen(function* () {
      yield* connectors(first)
      yield* failingAt(CONNECTORS)
      assert.isTrue(Exit.isFailure(yield* Effect.exit(rotateSecrets(both))))
      yield* failingNoMore
      assert.include(saidBy(yield* started(second)), idOf(first))
    })
  )
})
