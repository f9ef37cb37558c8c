import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Clients } from "../../../../src/domain/access/oauth/Clients.ts"
import { MailedLinks } from "../../../../src/domain/access/sign-in/mailed-links/MailedLinks.ts"
import { Passwords } from "../../../../src/domain/access/sign-in/Passwords.ts"
import { SubAccounts } from "../../../../src/domain/access/sign-in/SubAccounts.ts"
import { NotificationStore } from "../../../../src/domain/notifications/store.ts"
import { OutboundHttp } from "../../../../src/domain/webhooks/deliveries/OutboundHttp.ts"
import { ConsoleEndpoint, layerConsoleEndpoint } from "../../../../src/transports/console/console-endpoint.ts"
import { layerConsoleQueries } from "../../../../src/transports/console/queries/layer.ts"
import { layerTest } from "../../../support/harness.ts"
import { makeSampleWorld } from "../../../support/sample-world.ts"
import { countStatements } from "../../../support/statement-count.ts"
import { layerSessions, PUBLIC_URL, signIn } from "../../../support/transports/console/signed-in-pages.ts"

/** The pages without a socket: what one asks of the database is then counted. Who is signed in is asked beside that, once. */
const layerPages = layerConsoleEndpoint(PUBLIC_URL).pipe(
  Layer.provide([
    layerSessions,
    Passwords.layer,
    SubAccounts.layer,
    Clients.layer,
    MailedLinks.layer,
    NotificationStore.layer,
    Layer.provide(layerConsoleQueries, Layer.mock(OutboundHttp, {}))
  ]),
  Layer.provideMerge(layerTest)
)

/** Statements that a look at a page takes, whatever there is. */
const MOST = 2

layer(layerPages)("a look at a page", (it) => {
  it.effect("is a statement or two", () =>
    Effect.gen(function* () {
      const world = yield* makeSampleWorld
      yield* TestClock.setTime(Date.parse("2027-05-20T10:00:00Z"))
      const [sql, pages] = [yield* SqlClient.SqlClient, yield* ConsoleEndpoint]
      const [account] = yield* sql<{ id: number }>`
        SELECT id FROM accounts WHERE operator_id = ${world.operatorId} AND role = 'main'`
      const [listing] = yield* sql<{
        id: number
      }>`SELECT min(id)::int AS id FROM listings WHERE operator_id = ${world.operatorId}`
      const cookie = yield* signIn(account?.id ?? 0)
      const { property_id, reservation_code, conversation_id } = world.fields
      const nights = "check_in_date=2027-08-01&check_out_date=2027-08-03"
      const paths = [
        ...["overview", "calendar", `calendar?property=${property_id}&from=2027-05-01&to=2027-05-09`, "year"],
        ...[
          "reservations",
          "reservations.csv",
          "reservations?payment=unpaid",
          "reservations?status=check_in",
          "reservations?q=Lovelace"
        ],
        ...[`reservations/new?property=${property_id}&${nights}`, `stay?code=${reservation_code}`],
        ...["messages", "messages?show=waiting", `messages?id=${conversation_id}`, "reviews", "reviews?show=waiting"],
        ...["money", "money?add=expense", "money.csv?from=2027-05-01&to=2027-05-31", "tasks", "tasks?add=1"],
        ...[
          "tasks?sheet=2027-05-20",
          "properties",
          "properties?change=group:new",
          `properties/property?id=${property_id}`,
          "channels"
        ],
        ...[
          `channels/listing?id=${listing?.id}`,
          "calendars",
          "automation",
          "knowledge",
          "people",
          "people?change=staff:new"
        ],
        ...["words", "words?change=income_items:11", "history", `history?record=reservation:${reservation_code}`]
      ]
      const counted = yield* Effect.forEach(paths, (path) => {
        const request = HttpServerRequest.fromWeb(
          new Request(`${PUBLIC_URL}/console/${path}`, { headers: { cookie: `latchkey=${cookie}` } })
        )
        return Effect.map(
          countStatements(pages(request)),
          ([response, count]) => [path, response?.status, count] as const
        )
      })
      assert.deepStrictEqual(
        counted.filter(([, status, count]) => status !== 200 || count < 1 || count > MOST),
        []
      )
    })
  )
})
