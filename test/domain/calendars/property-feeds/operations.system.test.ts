import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { makeEndGrant } from "../../../../src/domain/access/oauth/grant-ending.ts"
import {
  type ConnectedClient,
  connectClient,
  createPartner,
  endGrant
} from "../../../support/domain/webhooks/subscriptions/connected-client.ts"
import {
  asSystemActor,
  call,
  callForResponse,
  createOperator,
  insertProperty,
  typedClient,
  withToken
} from "../../../support/harness.ts"
import { BaseUrl, layerHttpServer } from "../../../support/http-server.ts"
import { insertImportedCalendar } from "../../../support/imported-calendars.ts"

const prepare = Effect.gen(function* () {
  const operator = yield* createOperator()
  const propertyId = yield* insertProperty(operator.operatorId, "Harbour 1")
  const calendarId = yield* insertImportedCalendar(operator.operatorId, propertyId, "https://calendars.example/a.ics")
  const api = yield* typedClient
  const create = (token: string, calendar_id?: number) =>
    api
      .create_property_feed({ property_id: propertyId, ...(calendar_id === undefined ? {} : { calendar_id }) })
      .pipe(withToken(token))
  const list = (token: string) =>
    Effect.map(
      withToken(token)(api.list_property_feeds({ property_id: propertyId })),
      ({ property_feeds }) => property_feeds
    )
  const renew = (token: string, id: number) => withToken(token)(api.renew_property_feed({ id }))
  return { ...operator, propertyId, calendarId, api, create, list, renew }
})

/** The code and message of a call that is refused. */
const refusalOf = (...[token, operation, fields]: Parameters<typeof call>) =>
  Effect.map(call(token, operation, fields), ({ error_code, error_msg }) => `${error_code} ${error_msg}`)

/** The HTTP status of the address of a feed. */
const statusOf = Effect.fnUntraced(function* (url: string) {
  const base = yield* BaseUrl
  return yield* Effect.promise(async () => (await fetch(`${base}${new URL(url).pathname}`)).status)
})

/** The host disconnects the application. */
const disconnect = Effect.fnUntraced(function* ({ operatorId, grantId }: ConnectedClient) {
  const sql = yield* SqlClient.SqlClient
  yield* makeEndGrant(sql)({ operatorId, grantId, endedBy: "host", now: yield* DateTime.nowAsDate })
}, asSystemActor)

layer(layerHttpServer())("property feeds over REST", (it) => {
  it.effect("are one for the property and one for each calendar, made when they are first asked for", () =>
    Effect.gen(function* () {
      const { token, propertyId, calendarId, create, list } = yield* prepare
      assert.deepStrictEqual(yield* list(token), [])
      const forCalendar = yield* create(token, calendarId)
      const own = yield* create(token)
      assert.deepInclude(own, { property_id: propertyId, calendar_id: null })
      assert.deepInclude(forCalendar, { property_id: propertyId, calendar_id: calendarId })
      assert.match(own.url, /\/feeds\/lkfeed_[0-9a-z]{26}\.ics$/)
      assert.deepStrictEqual([yield* create(token), yield* create(token, calendarId)], [own, forCalendar])
      assert.deepStrictEqual(yield* list(token), [own, forCalendar])
      for (const { url } of [own, forCalendar]) assert.strictEqual(yield* statusOf(url), 200)
    })
  )

  it.effect("get another address when they are renewed, once under a key", () =>
    Effect.gen(function* () {
      const { token, create, list } = yield* prepare
      const before = yield* create(token)
      const answers = yield* Effect.forEach([1, 2], () =>
        callForResponse(token, "renew_property_feed", { id: before.id }, "renew")
      )
      assert.deepStrictEqual(answers[0]?.envelope.data, answers[1]?.envelope.data)
      assert.strictEqual(answers[1]?.headers["idempotent-replayed"], "true")
      const [after] = yield* list(token)
      assert.deepStrictEqual<unknown>(answers[0]?.envelope.data, after)
      assert.notStrictEqual(after?.url, before.url)
      assert.strictEqual(yield* statusOf(before.url), 404)
      assert.strictEqual(yield* statusOf(after?.url ?? before.url), 200)
    })
  )

  it.effect("of another operator are as those that nobody has", () =>
    Effect.gen(function* () {
      const [mine, theirs] = [yield* prepare, yield* prepare]
      const feed = yield* theirs.create(theirs.token)
      for (const id of [feed.id, 999_999_999])
        assert.strictEqual(yield* refusalOf(mine.token, "renew_property_feed", { id }), "404 id: no such feed.")
      for (const property_id of [theirs.propertyId, 999_999_999]) {
        for (const operation of ["list_property_feeds", "create_property_feed"] as const)
          assert.strictEqual(
            yield* refusalOf(mine.token, operation, { property_id }),
            "404 property_id: no such property."
          )
      }
      assert.strictEqual(
        yield* refusalOf(mine.token, "create_property_feed", {
          property_id: mine.propertyId,
          calendar_id: theirs.calendarId
        }),
        "404 calendar_id: no such calendar of the property."
      )
      assert.deepStrictEqual(yield* theirs.list(theirs.token), [feed])
    })
  )

  it.effect("of an application are its own, beside the host's and those of others", () =>
    Effect.gen(function* () {
      const host = yield* prepare
      const { token, create, list, renew } = host
      const [one, other] = [yield* connectClient(host, yield* createPartner()), yield* connectClient(host)]
      const [hosts, ones, others] = [yield* create(token), yield* create(one.token), yield* create(other.token)]
      assert.strictEqual(new Set([hosts, ones, others].map(({ url }) => url)).size, 3)
      assert.deepStrictEqual(yield* create(one.token), ones)
      assert.deepStrictEqual(
        [yield* list(token), yield* list(one.token), yield* list(other.token)],
        [[hosts], [ones], [others]]
      )
      const notYours = "403 id: only the application that created this feed, or the host if it did, may do this."
      for (const [caller, id] of [
        [one.token, hosts.id],
        [one.token, others.id],
        [token, ones.id]
      ] as const)
        assert.strictEqual(yield* refusalOf(caller, "renew_property_feed", { id }), notYours)
      const renewed = yield* renew(one.token, ones.id)
      assert.notStrictEqual(renewed.url, ones.url)
      assert.deepStrictEqual([yield* list(token), yield* list(one.token)], [[hosts], [renewed]])
    })
  )

  it.effect("for calendars are only the host's to create", () =>
    Effect.gen(function* () {
      const host = yield* prepare
      const client = yield* connectClient(host)
      assert.strictEqual(
        yield* refusalOf(client.token, "create_property_feed", {
          property_id: host.propertyId,
          calendar_id: host.calendarId
        }),
        "403 calendar_id: only the host may create the feed for the marketplace of a calendar."
      )
      assert.deepStrictEqual(yield* host.list(host.token), [])
    })
  )

  it.effect("of an application end with its connection; the host's go on", () =>
    Effect.gen(function* () {
      const host = yield* prepare
      const [one, other] = [yield* connectClient(host), yield* connectClient(host)]
      const [hosts, ones, others] = [
        yield* host.create(host.token),
        yield* host.create(one.token),
        yield* host.create(other.token)
      ]
      yield* disconnect(one)
      assert.strictEqual(yield* statusOf(ones.url), 404)
      for (const { url } of [hosts, others]) assert.strictEqual(yield* statusOf(url), 200)
      assert.deepStrictEqual([yield* host.list(host.token), yield* host.list(other.token)], [[hosts], [others]])
      const sql = yield* SqlClient.SqlClient
      const trail = yield* sql<{ record: string }>`
        SELECT record FROM trail WHERE operator_id = ${host.operatorId} AND record = ${`property_feed:${ones.id}`}`
      assert.lengthOf(trail, 2)
    })
  )

  it.effect("are not created by an application whose connection has just ended", () =>
    Effect.gen(function* () {
      const host = yield* prepare
      const client = yield* connectClient(host)
      yield* call(client.token, "list_property_feeds", { property_id: host.propertyId })
      yield* endGrant(client)
      const fields = { property_id: host.propertyId }
      assert.strictEqual(yield* refusalOf(client.token, "create_property_feed", fields), "401 Invalid access token")
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`SELECT FROM property_feeds WHERE operator_id = ${host.operatorId}`, [])
    })
  )
})
