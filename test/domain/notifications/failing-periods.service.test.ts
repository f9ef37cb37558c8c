import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { notifyOfFailures } from "../../../src/domain/notifications/failure-watch.ts"
import { applyNotificationRetention } from "../../../src/domain/notifications/retention.ts"
import { NOTIFICATION_RETENTION_MS } from "../../../src/platform/limits.ts"
import {
  createRecipient,
  emptyNotificationTables,
  layerNotificationService,
  mailAllDue,
  mailsTo
} from "../../support/domain/notifications/notification-service.ts"
import { insertProperty, typedClient, withToken } from "../../support/harness.ts"
import { insertImportedCalendar } from "../../support/imported-calendars.ts"

const NOW = Date.parse("2027-04-20T10:00:00Z")

/** A host whose webhook and imported calendar fail. */
const prepareFailures = Effect.gen(function* () {
  yield* TestClock.setTime(NOW)
  yield* emptyNotificationTables
  const host = yield* createRecipient()
  const [api, sql] = [yield* typedClient, yield* SqlClient.SqlClient]
  const propertyId = yield* insertProperty(host.operatorId, "Alfama\r\nBcc: thief@example.test\u202e\u2028X-Other: 1")
  yield* insertImportedCalendar(host.operatorId, propertyId, "https://calendars.example.com/a.ics")
  yield* sql`
    UPDATE imported_calendars SET state = 'failing', failures = 3, error = ${"its server answered\r\nSubject: 500"}
    WHERE operator_id = ${host.operatorId}`
  yield* api
    .create_webhook({ url: "https://hooks.example.com/path", events: ["message_created"] })
    .pipe(withToken(host.token))
  yield* sql`
    UPDATE webhook_subscriptions SET health = ${JSON.stringify({ state: "resting", failures: 5, failingSince: 1, rests: 1, until: 2 })}::jsonb
    WHERE operator_id = ${host.operatorId}`
  const listNotifications = Effect.orDie(sql<{ kind: string; state: string }>`
    SELECT kind, state FROM notifications WHERE operator_id = ${host.operatorId} ORDER BY kind`)
  return { ...host, listNotifications }
})

layer(layerNotificationService, { excludeTestServices: false })("a failing period", (it) => {
  it.effect("gives one notification, even if several processes find it at the same time", () =>
    Effect.gen(function* () {
      const { listNotifications, email } = yield* prepareFailures
      const now = yield* DateTime.nowAsDate
      yield* Effect.all(
        Array.from({ length: 4 }, () => notifyOfFailures(now)),
        { concurrency: "unbounded" }
      )
      const waiting = [
        { kind: "failing_calendar", state: "waiting" },
        { kind: "failing_webhook", state: "waiting" }
      ]
      assert.deepStrictEqual(yield* listNotifications, waiting)
      yield* mailAllDue
      yield* mailAllDue
      assert.lengthOf(yield* mailsTo(email), 1)
    })
  )

  it.effect("gives no second notification after the retention of the first", () =>
    Effect.gen(function* () {
      const { listNotifications, email } = yield* prepareFailures
      yield* mailAllDue
      yield* TestClock.adjust(NOTIFICATION_RETENTION_MS + 1)
      yield* applyNotificationRetention(yield* DateTime.nowAsDate)
      assert.lengthOf(yield* listNotifications, 2)
      yield* mailAllDue
      assert.lengthOf(yield* mailsTo(email), 1)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE imported_calendars SET state = 'ok'`
      yield* sql`UPDATE webhook_subscriptions SET health = '{"state": "healthy"}'`
      yield* applyNotificationRetention(yield* DateTime.nowAsDate)
      assert.lengthOf(yield* listNotifications, 0)
    })
  )

  it.effect("puts names and reasons on one line of the mail, and none of them in another header", () =>
    Effect.gen(function* () {
      const { email } = yield* prepareFailures
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE notification_recipients SET kinds = '{failing_calendar}'`
      yield* mailAllDue
      const [mail] = yield* mailsTo(email)
      assert.strictEqual(mail?.to, email)
      assert.strictEqual(mail?.subject, "Calendar import is failing: Alfama Bcc: thief@example.test X-Other: 1")
      const lines = (mail?.text ?? "").split("\n")
      assert.lengthOf(
        lines.filter((line) => /^(Bcc|Subject|X-Other)/.test(line)),
        0
      )
      assert.include(lines[0], "its server answered Subject: 500")
    })
  )
})
