import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Clients, type OAuthClient } from "../../../../src/domain/access/oauth/Clients.ts"
import { ClientStore } from "../../../../src/domain/access/oauth/clients/ClientStore.ts"
import { REGISTERED_REDIRECTS_MAX, USED_REDIRECTS_MAX } from "../../../../src/platform/limits.ts"
import { layerOwnDatabase } from "../../../support/own-database.ts"

// Where the public client may be led back to: what anybody registers, so there are so many and no more, and a flood drives out what
// nobody used.

const NOW = Date.parse("2027-05-01T12:00:00Z")
const MCP: OAuthClient = { id: "service_mcp", name: "MCP client", redirectUris: [], isPublic: true }
const at = (name: string) => `https://${name}.example.com/back`

const layerStored = Layer.provideMerge(Layer.merge(Clients.layer, ClientStore.layer), layerOwnDatabase)

const register = (...uris: ReadonlyArray<string>) =>
  Effect.flatMap(Effect.all([ClientStore, Effect.clockWith((clock) => clock.currentTimeMillis)]), ([store, now]) =>
    store.registerRedirectUris(uris, new Date(now))
  )

const isKnown = (uri: string) => Effect.flatMap(Clients, ({ mayRedirectTo: mayBeLedTo }) => mayBeLedTo(MCP, uri))

const countOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ all: number; used: number }>`
    SELECT count(*) AS all, count(used_at) AS used FROM oauth_redirects`
  return { all: row?.all, used: row?.used }
}).pipe(Effect.orDie)

/** Nothing but so many, registered one a millisecond from the epoch on; the first of them used. */
const filledWith = Effect.fnUntraced(function* (all: number, used = 0) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DELETE FROM oauth_redirects`
  yield* sql`
    INSERT INTO oauth_redirects (uri, registered_at, used_at)
    SELECT 'https://filled-' || n || '.example.com/back', to_timestamp(n / 1000.0), CASE WHEN n <= ${used} THEN to_timestamp(0) END
    FROM generate_series(1, ${all}::int) n`
}, Effect.orDie)

/** Those of them that would go in a flood. */
const unusedOf = Effect.fnUntraced(function* (names: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ uri: string }>`
    SELECT uri FROM oauth_redirects WHERE used_at IS NULL AND uri = ANY(${names.map(at)}::text[]) ORDER BY uri`
  return rows.map(({ uri }) => uri)
}, Effect.orDie)

layer(layerStored, { excludeTestServices: false })("addresses of the public client", (it) => {
  it.effect(`are ${REGISTERED_REDIRECTS_MAX} and not one more: then the oldest that nobody used goes`, () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      yield* filledWith(REGISTERED_REDIRECTS_MAX - 1, 2)
      yield* register(at("last"))
      assert.deepStrictEqual(yield* countOf, { all: REGISTERED_REDIRECTS_MAX, used: 2 })
      assert.isTrue(yield* isKnown(at("filled-3")))
      yield* register(at("one-more"))
      assert.deepStrictEqual(yield* countOf, { all: REGISTERED_REDIRECTS_MAX, used: 2 })
      assert.isFalse(yield* isKnown(at("filled-3")))
      for (const name of ["filled-1", "filled-2", "filled-4", "last", "one-more"])
        assert.isTrue(yield* isKnown(at(name)), name)
    })
  )

  it.effect("that come again are young again, and take no place of others", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      yield* filledWith(REGISTERED_REDIRECTS_MAX)
      yield* register(at("filled-1"), at("filled-1"), at("filled-2"))
      assert.strictEqual((yield* countOf).all, REGISTERED_REDIRECTS_MAX)
      yield* register(at("a"), at("b"))
      for (const name of ["filled-1", "filled-2", "a", "b"]) assert.isTrue(yield* isKnown(at(name)), name)
      for (const name of ["filled-3", "filled-4"]) assert.isFalse(yield* isKnown(at(name)), name)
    })
  )

  it.effect("that a host consented to outlive a flood", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      yield* filledWith(0)
      yield* register("http://127.0.0.1/cb", at("seen"))
      yield* (yield* Clients).recordRedirect("http://127.0.0.1:40123/cb")
      yield* (yield* Clients).recordRedirect(at("never registered"))
      assert.deepStrictEqual(yield* countOf, { all: 2, used: 1 })
      for (let n = 0; n < REGISTERED_REDIRECTS_MAX; n += 1_000) {
        yield* TestClock.adjust("1 second")
        yield* register(...Array.from({ length: 1_000 }, (_, nth) => at(`flood-${n + nth}`)))
      }
      assert.deepStrictEqual(yield* countOf, { all: REGISTERED_REDIRECTS_MAX, used: 1 })
      assert.isTrue(yield* isKnown("http://127.0.0.1:5/cb"))
      assert.isFalse(yield* isKnown(at("seen")))
    })
  )

  it.effect(
    `stay when they are of the ${USED_REDIRECTS_MAX} that hosts consented to last, so that nobody fills all there is or has it for good`,
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(NOW)
        yield* filledWith(REGISTERED_REDIRECTS_MAX, USED_REDIRECTS_MAX - 1)
        const { recordRedirect: wasLedTo } = yield* Clients
        yield* wasLedTo(at(`filled-${USED_REDIRECTS_MAX}`))
        assert.strictEqual((yield* countOf).used, USED_REDIRECTS_MAX)
        assert.isEmpty(yield* unusedOf(["filled-1", "filled-2", `filled-${USED_REDIRECTS_MAX}`]))
        // Who comes again takes no place of others, and nor does an address that nobody registered.
        yield* wasLedTo(at("filled-1"))
        yield* wasLedTo(at("never registered"))
        assert.strictEqual((yield* countOf).used, USED_REDIRECTS_MAX)
        yield* TestClock.adjust("1 second")
        yield* wasLedTo(at(`filled-${USED_REDIRECTS_MAX + 1}`))
        assert.deepStrictEqual(yield* countOf, { all: REGISTERED_REDIRECTS_MAX, used: USED_REDIRECTS_MAX })
        // The one of longest ago, and the first of the alphabet where several are.
        assert.deepStrictEqual(
          yield* unusedOf(["filled-1", "filled-10", "filled-2", `filled-${USED_REDIRECTS_MAX + 1}`]),
          [at("filled-10")]
        )
        assert.isTrue(yield* isKnown(at("filled-10")))
        yield* register(at("new"))
        for (const name of ["new", "filled-1", "filled-2", `filled-${USED_REDIRECTS_MAX + 1}`])
          assert.isTrue(yield* isKnown(at(name)), name)
        assert.isFalse(yield* isKnown(at("filled-10")))
      })
  )

  it.effect("are made right by the next where hosts consented to several at once, and stop nobody meanwhile", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      yield* filledWith(REGISTERED_REDIRECTS_MAX, USED_REDIRECTS_MAX)
      const { recordRedirect: wasLedTo } = yield* Clients
      const last = Array.from({ length: 12 }, (_, nth) => `filled-${REGISTERED_REDIRECTS_MAX - nth}`)
      const flood = register(...Array.from({ length: 50 }, (_, nth) => at(`meanwhile-${nth}`)), at("filled-10"))
      yield* Effect.all([...last.map((name) => wasLedTo(at(name))), flood, flood], { concurrency: "unbounded" })
      assert.isEmpty(yield* unusedOf(last))
      yield* wasLedTo(at(`filled-${REGISTERED_REDIRECTS_MAX - 20}`))
      assert.isAtMost((yield* countOf).used ?? 0, USED_REDIRECTS_MAX)
    })
  )

  it.effect("are kept by all who register at once, in whatever order", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW)
      yield* filledWith(REGISTERED_REDIRECTS_MAX)
      const uris = Array.from({ length: 10 }, (_, nth) => at(`shared-${nth}`))
      const each = Array.from({ length: 12 }, (_, nth) =>
        register(...(nth % 2 === 0 ? uris : uris.toReversed()), at(`own-${nth}`))
      )
      yield* Effect.all(each, { concurrency: "unbounded" })
      for (const uri of uris) assert.isTrue(yield* isKnown(uri))
      for (let nth = 0; nth < 12; nth++) assert.isTrue(yield* isKnown(at(`own-${nth}`)))
      // Who did not see the others took too few away; the next one does.
      yield* register(at("after"))
      assert.isAtMost((yield* countOf).all ?? 0, REGISTERED_REDIRECTS_MAX)
    })
  )
})
