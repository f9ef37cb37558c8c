import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { NotificationQueue } from "../../../src/domain/notifications/NotificationQueue.ts"
import { applyNotificationRetention } from "../../../src/domain/notifications/retention.ts"
import { LEASE_MS } from "../../../src/jobs/lease.ts"
import {
  MAIL_ATTEMPTS,
  NOTIFICATION_GATHERING_MS,
  NOTIFICATION_MAILS_A_DAY,
  NOTIFICATION_MAILS_AN_HOUR,
  NOTIFICATION_MAX_AGE_MS,
  NOTIFICATION_RETENTION_MS,
  NOTIFICATIONS_DESCRIBED_MAX,
  NOTIFICATIONS_OF_MAIL_MAX
} from "../../../src/platform/limits.ts"
import { MailDeferred, MailRejected, MailUnconfirmed } from "../../../src/platform/mail/Mailer.ts"
import { SentMails } from "../../../src/platform/mail/memory-mailer.ts"
import { insertConversation } from "../../support/conversations.ts"
import { MANUAL_RESERVATION } from "../../support/domain/bookings/reservations/reservation-operator.ts"
import {
  createRecipient,
  emptyNotificationTables,
  insertGuestMessage,
  insertRecipient,
  insertSubAccount,
  layerNotificationService,
  mailAllDue,
  mailsTo
} from "../../support/domain/notifications/notification-service.ts"
import { insertOrder, insertProperty, typedClient, withToken } from "../../support/harness.ts"
import { insertImportedCalendar } from "../../support/imported-calendars.ts"
import { insertChannelAccount } from "../../support/listings.ts"

const NOW = Date.parse("2027-04-20T10:00:00Z")

const begin = Effect.andThen(TestClock.setTime(NOW), emptyNotificationTables)

let night = 0

/** A booking over the API. Returns its code. */
const book = Effect.fnUntraced(function* (
  { token }: { readonly token: string },
  propertyId: number,
  guestName = "Jonas Weber"
) {
  const api = yield* typedClient
  const day = (offset: number) => new Date(Date.UTC(2028, 0, 1 + offset)).toISOString().slice(0, 10)
  const [check_in_date, check_out_date] = [day(night), day(night + 1)]
  night += 1
  const { reservation_code } = yield* api
    .create_reservation({
      ...MANUAL_RESERVATION,
      ...{ property_id: propertyId, check_in_date, check_out_date, guest_name: guestName }
    })
    .pipe(withToken(token))
  return reservation_code
})

const recordReservationEvent = Effect.fnUntraced(function* (
  operatorId: number,
  code: string,
  event: "reservation_created" | "reservation_updated"
) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DateTime.nowAsDate
  yield* sql`
    INSERT INTO events (operator_id, event, record, payload, queued_at)
    VALUES (${operatorId}, ${event}, ${`reservation:${code}`},
      jsonb_build_object('reservation_code', ${code}::text, 'stay_code', ${code}::text, 'property_id', 0), ${now})`
}, Effect.orDie)

/** An order as its channel sent it at this time of the clock. */
const receiveOrder = Effect.fnUntraced(function* (
  operatorId: number,
  propertyId: number | null,
  status: "wait_accept" | "accepted"
) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DateTime.nowAsDate
  night += 1
  const day = (offset: number) => new Date(Date.UTC(2030, 0, 1 + offset)).toISOString().slice(0, 10)
  const code = yield* insertOrder(operatorId, [{ propertyId, checkIn: day(night), checkOut: day(night + 1) }], {
    channelType: "airbnb",
    status
  })
  yield* sql`UPDATE orders SET created_at = ${now}, booked_at = ${now} WHERE operator_id = ${operatorId} AND reservation_code = ${code}`
  yield* recordReservationEvent(operatorId, code, "reservation_created")
  return code
}, Effect.orDie)

const openConversation = Effect.fnUntraced(function* (operatorId: number) {
  const accountId = yield* insertChannelAccount(operatorId, { channelType: "airbnb" })
  const { code } = yield* insertConversation({ operatorId, accountId, channelType: "airbnb" })
  return code
})

const subjectsTo = (email: string) => Effect.map(mailsTo(email), (mails) => mails.map(({ subject }) => subject))

const advance = (ms: number) => TestClock.adjust(ms)

layer(layerNotificationService, { excludeTestServices: false })("notifications", (it) => {
  it.effect("tell of a booking over the API, once, with its property, days, first name and link", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* createRecipient()
      const propertyId = yield* insertProperty(host.operatorId, "Chiado Loft")
      const code = yield* book(host, propertyId)
      yield* mailAllDue
      yield* mailAllDue
      const [mail, ...others] = yield* mailsTo(host.email)
      assert.lengthOf(others, 0)
      assert.strictEqual(mail?.subject, "New booking: Chiado Loft")
      assert.include(mail?.text, `Jonas · ${code}`)
      assert.notInclude(mail?.text, "Weber")
      assert.include(mail?.text, `/console/stay?code=${code}`)
      yield* recordReservationEvent(host.operatorId, code, "reservation_updated")
      yield* advance(NOTIFICATION_GATHERING_MS)
      yield* mailAllDue
      assert.lengthOf(yield* mailsTo(host.email), 1)
    })
  )

  it.effect("tell of a request, and of the booking that it becomes", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* createRecipient()
      const sql = yield* SqlClient.SqlClient
      const code = yield* receiveOrder(host.operatorId, null, "wait_accept")
      yield* mailAllDue
      yield* sql`UPDATE orders SET status = 'accepted' WHERE operator_id = ${host.operatorId} AND reservation_code = ${code}`
      yield* recordReservationEvent(host.operatorId, code, "reservation_updated")
      yield* recordReservationEvent(host.operatorId, code, "reservation_updated")
      yield* advance(NOTIFICATION_GATHERING_MS)
      yield* mailAllDue
      assert.deepStrictEqual(yield* subjectsTo(host.email), ["Booking request", "New booking"])
    })
  )

  it.effect("tell of a guest's message without its text, and not of the host's own", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* createRecipient()
      const conversation = yield* openConversation(host.operatorId)
      yield* insertGuestMessage(host.operatorId, conversation, new Date(NOW), "host")
      yield* insertGuestMessage(host.operatorId, conversation, new Date(NOW))
      yield* mailAllDue
      const [mail, ...others] = yield* mailsTo(host.email)
      assert.lengthOf(others, 0)
      assert.strictEqual(mail?.subject, "Message from a guest")
      assert.include(mail?.text, "Ada")
      assert.notInclude(mail?.text, "Lovelace")
      assert.notInclude(mail?.text, "Secret text")
      assert.include(mail?.text, `/console/messages?id=${encodeURIComponent(conversation)}`)
    })
  )

  it.effect(
    "tell of a failing webhook once per failing period, and of its pause by the service, with its host alone",
    () =>
      Effect.gen(function* () {
        yield* begin
        const host = yield* createRecipient()
        const [api, sql] = [yield* typedClient, yield* SqlClient.SqlClient]
        const { webhook } = yield* api
          .create_webhook({ url: "https://hooks.example.com/secret-path", events: ["message_created"] })
          .pipe(withToken(host.token))
        const setHealth = (health: object, reason: string | null = null) => sql`
        UPDATE webhook_subscriptions SET health = ${JSON.stringify(health)}::jsonb, paused_reason = ${reason},
          paused_at = CASE WHEN ${reason}::text IS NULL THEN NULL ELSE now() END WHERE id = ${webhook.id}`
        const wait = Effect.andThen(advance(NOTIFICATION_GATHERING_MS), mailAllDue)
        yield* setHealth({ state: "failing", failures: 1, failingSince: 1 })
        yield* wait
        assert.lengthOf(yield* mailsTo(host.email), 0)
        yield* setHealth({ state: "resting", failures: 5, failingSince: 1, rests: 1, until: 2 })
        yield* wait
        yield* setHealth({ state: "probing", failures: 6, failingSince: 1, rests: 2, until: 9 })
        yield* wait
        yield* setHealth({ state: "paused", failures: 9, failingSince: 1 }, "No delivery succeeded for five days.")
        yield* wait
        yield* setHealth({ state: "healthy" })
        yield* wait
        yield* setHealth({ state: "resting", failures: 5, failingSince: 7, rests: 1, until: 9 })
        yield* wait
        yield* setHealth({ state: "paused", failures: 0, failingSince: 8 }, "Paused by the host.")
        yield* wait
        assert.deepStrictEqual(yield* subjectsTo(host.email), [
          "Webhook is failing",
          "Webhook is paused",
          "Webhook is failing"
        ])
        const [mail] = yield* mailsTo(host.email)
        assert.include(mail?.text, "hooks.example.com")
        assert.notInclude(mail?.text, "secret-path")
      })
  )

  it.effect("tell of a failing calendar once per failing period", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* createRecipient()
      const sql = yield* SqlClient.SqlClient
      const propertyId = yield* insertProperty(host.operatorId, "Alfama")
      const calendar = yield* insertImportedCalendar(host.operatorId, propertyId, "https://calendars.example.com/a.ics")
      const set = (state: string, fetchedAt: string) => sql`
        UPDATE imported_calendars SET state = ${state}, fetched_at = ${fetchedAt}::timestamptz,
          error = ${state === "failing" ? "its server answered 500" : null}, failures = failures + 1
        WHERE operator_id = ${host.operatorId} AND id = ${Number(calendar)}`
      const wait = Effect.andThen(advance(NOTIFICATION_GATHERING_MS), mailAllDue)
      yield* set("ok", "2027-04-20T09:00:00Z")
      yield* wait
      yield* set("failing", "2027-04-20T09:00:00Z")
      yield* wait
      yield* set("failing", "2027-04-20T09:00:00Z")
      yield* wait
      yield* set("ok", "2027-04-20T09:30:00Z")
      yield* wait
      yield* set("failing", "2027-04-20T09:30:00Z")
      yield* wait
      const title = "Calendar import is failing: Alfama"
      assert.deepStrictEqual(yield* subjectsTo(host.email), [title, title])
      assert.include((yield* mailsTo(host.email))[0]?.text, "its server answered 500")
    })
  )

  it.effect("go to each account that chose the kind, and to nobody else", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* createRecipient(["guest_message"])
      const chosen = yield* insertSubAccount(host.operatorId)
      const unverified = yield* insertSubAccount(host.operatorId)
      const renamed = yield* insertSubAccount(host.operatorId)
      const disabled = yield* insertSubAccount(host.operatorId)
      const other = yield* createRecipient()
      const banned = yield* createRecipient(undefined, { status: "banned" })
      const sql = yield* SqlClient.SqlClient
      for (const account of [chosen, unverified, renamed, disabled]) yield* insertRecipient(account, ["new_booking"])
      yield* sql`UPDATE notification_recipients SET verified_email = NULL WHERE account_id = ${unverified.accountId}`
      yield* sql`UPDATE accounts SET email = ${`new-${renamed.email}`} WHERE id = ${renamed.accountId}`
      yield* sql`UPDATE accounts SET disabled_at = now() WHERE id = ${disabled.accountId}`
      const propertyId = yield* insertProperty(host.operatorId, "Chiado Loft")
      yield* book(host, propertyId)
      yield* receiveOrder(banned.operatorId, yield* insertProperty(banned.operatorId, "Banned"), "accepted")
      yield* mailAllDue
      const nobody = [host, unverified, renamed, disabled, other, banned].map(({ email }) => email)
      for (const email of [...nobody, `new-${renamed.email}`]) assert.lengthOf(yield* mailsTo(email), 0, email)
      assert.lengthOf(yield* mailsTo(chosen.email), 1)
    })
  )

  it.effect(
    "are not sent any more to an account that is disabled, or changes its choices or address, while they wait",
    () =>
      Effect.gen(function* () {
        yield* begin
        const host = yield* createRecipient([])
        const [disabled, unchosen, kept] = [
          yield* insertSubAccount(host.operatorId),
          yield* insertSubAccount(host.operatorId),
          yield* insertSubAccount(host.operatorId)
        ]
        for (const account of [disabled, unchosen, kept]) yield* insertRecipient(account)
        const sql = yield* SqlClient.SqlClient
        const propertyId = yield* insertProperty(host.operatorId, "Chiado Loft")
        yield* book(host, propertyId)
        yield* mailAllDue
        yield* book(host, propertyId)
        yield* mailAllDue
        yield* sql`UPDATE accounts SET disabled_at = now() WHERE id = ${disabled.accountId}`
        yield* sql`UPDATE notification_recipients SET kinds = '{guest_message}' WHERE account_id = ${unchosen.accountId}`
        yield* advance(NOTIFICATION_GATHERING_MS)
        yield* mailAllDue
        const counts = yield* Effect.forEach([disabled, unchosen, kept], ({ email }) =>
          Effect.map(mailsTo(email), (mails) => mails.length)
        )
        assert.deepStrictEqual(counts, [1, 1, 2])
        const waiting = yield* sql`SELECT FROM notification_recipients WHERE due_at < 'infinity'`
        assert.lengthOf(waiting, 0)
      })
  )

  it.effect("gather a burst in one mail that describes the first and counts the others", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* createRecipient()
      const conversation = yield* openConversation(host.operatorId)
      const write = (count: number) =>
        Effect.forEach(Array.from({ length: count }), () =>
          insertGuestMessage(host.operatorId, conversation, new Date(NOW))
        )
      yield* write(1)
      yield* mailAllDue
      yield* write(NOTIFICATIONS_DESCRIBED_MAX + 1)
      yield* mailAllDue
      yield* advance(NOTIFICATION_GATHERING_MS - 1)
      yield* mailAllDue
      assert.lengthOf(yield* mailsTo(host.email), 1)
      yield* advance(1)
      yield* mailAllDue
      yield* mailAllDue
      const [, digest, ...others] = yield* mailsTo(host.email)
      assert.lengthOf(others, 0)
      assert.strictEqual(digest?.subject, `Latchkey: ${NOTIFICATIONS_DESCRIBED_MAX + 1} notifications`)
      assert.lengthOf(digest?.text.match(/Message from a guest/g) ?? [], NOTIFICATIONS_DESCRIBED_MAX)
      assert.include(digest?.text, "… and 1 more")
    })
  )

  it.effect("are at most NOTIFICATIONS_OF_MAIL_MAX in a mail, and the others follow", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* createRecipient()
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO notifications (operator_id, account_id, kind, event_key, record, created_at)
        SELECT ${host.operatorId}, ${host.accountId}, 'guest_message', n::text, n::text, ${new Date(NOW)}::timestamptz
        FROM generate_series(1, ${NOTIFICATIONS_OF_MAIL_MAX + 1}) n`
      yield* sql`UPDATE notification_recipients SET due_at = ${new Date(NOW)}, queued = 1 WHERE account_id = ${host.accountId}`
      yield* mailAllDue
      yield* advance(NOTIFICATION_GATHERING_MS)
      yield* mailAllDue
      assert.deepStrictEqual(yield* subjectsTo(host.email), [
        `Latchkey: ${NOTIFICATIONS_OF_MAIL_MAX} notifications`,
        "Message from a guest"
      ])
    })
  )

  it.effect("are limited per address, in an hour and in a day, and then wait for the next mail", () =>
    Effect.gen(function* () {
      const limits = [
        { scope: "notifications_1h", max: NOTIFICATION_MAILS_AN_HOUR },
        { scope: "notifications_24h", max: NOTIFICATION_MAILS_A_DAY }
      ]
      for (const { scope, max } of limits) {
        yield* begin
        const host = yield* createRecipient()
        const sql = yield* SqlClient.SqlClient
        const conversation = yield* openConversation(host.operatorId)
        yield* sql`
          INSERT INTO mail_counts (email_digest, scope, since, mails)
          VALUES (sha256(convert_to(lower(${host.email}), 'UTF8')), ${scope}, ${new Date(NOW)}, ${max - 1})`
        for (let written = 0; written < 2; written++) {
          yield* insertGuestMessage(host.operatorId, conversation, new Date(NOW))
          yield* mailAllDue
          yield* advance(NOTIFICATION_GATHERING_MS)
          yield* mailAllDue
        }
        assert.lengthOf(yield* mailsTo(host.email), 1, scope)
        yield* sql`DELETE FROM mail_counts`
        yield* advance(NOTIFICATION_GATHERING_MS)
        yield* mailAllDue
        assert.lengthOf(yield* mailsTo(host.email), 2, scope)
      }
    })
  )

  it.effect("try a mail again only if it was certainly not delivered, and at most MAIL_ATTEMPTS times", () =>
    Effect.gen(function* () {
      yield* begin
      const mails = yield* SentMails
      const deferred = new MailDeferred({ reason: "test" })
      const retry = Effect.andThen(advance(60 * 60 * 1000), mailAllDue)
      const outcomes = [
        { failures: [new MailRejected({ reason: "test" })], count: 0 },
        { failures: [new MailUnconfirmed({ reason: "test" })], count: 0 },
        { failures: Array.from({ length: MAIL_ATTEMPTS - 1 }, () => deferred), count: 1 },
        { failures: Array.from({ length: MAIL_ATTEMPTS }, () => deferred), count: 0 }
      ]
      for (const { failures, count } of outcomes) {
        yield* emptyNotificationTables
        const host = yield* createRecipient()
        const now = yield* DateTime.nowAsDate
        yield* insertGuestMessage(host.operatorId, yield* openConversation(host.operatorId), now)
        yield* mails.failNext(...failures)
        yield* mailAllDue
        for (let tries = 0; tries < MAIL_ATTEMPTS; tries++) yield* retry
        assert.lengthOf(yield* mailsTo(host.email), count, `${failures[0]?._tag} ${failures.length}`)
      }
    })
  )

  it.effect("are not sent again after the process died while it sent", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* createRecipient()
      const queue = yield* NotificationQueue
      const sql = yield* SqlClient.SqlClient
      const conversation = yield* openConversation(host.operatorId)
      yield* insertGuestMessage(host.operatorId, conversation, new Date(NOW))
      yield* sql`UPDATE events SET fanned_out_at = NULL WHERE operator_id = ${host.operatorId}`
      yield* mailAllDue.pipe(Effect.provideService(SentMails, yield* SentMails))
      yield* insertGuestMessage(host.operatorId, conversation, new Date(NOW))
      yield* advance(NOTIFICATION_GATHERING_MS)
      const now = yield* DateTime.nowAsDate
      yield* sql`
        INSERT INTO notifications (operator_id, account_id, kind, event_key, record, created_at)
        VALUES (${host.operatorId}, ${host.accountId}, 'guest_message', 'lost', 'lost', ${now})`
      yield* sql`UPDATE notification_recipients SET due_at = ${now}, queued = queued + 1 WHERE account_id = ${host.accountId}`
      const [recipient] = yield* queue.claim(now, 1, [])
      assert.isDefined(recipient)
      if (recipient === undefined) return
      const batch = yield* queue.beginSending(recipient, now)
      assert.strictEqual(batch.sending, 1)
      // The process dies here. Its lease ends.
      yield* advance(10 * LEASE_MS)
      yield* mailAllDue
      yield* advance(NOTIFICATION_GATHERING_MS)
      yield* mailAllDue
      const states = yield* sql<{ state: string }>`SELECT state FROM notifications WHERE event_key = 'lost'`
      assert.deepStrictEqual(states, [{ state: "dropped" }])
      // The message after it is sent.
      assert.lengthOf(yield* mailsTo(host.email), 2)
    })
  )

  it.effect("add no header for the name of a guest, and show nothing of a guest who was erased meanwhile", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* createRecipient()
      const sql = yield* SqlClient.SqlClient
      const propertyId = yield* insertProperty(host.operatorId, "Chiado\r\nBcc: thief@example.test")
      yield* book(host, propertyId, "Jonas\u2028Bcc:thief@example.test")
      yield* mailAllDue
      const [mail] = yield* mailsTo(host.email)
      assert.strictEqual(mail?.to, host.email)
      assert.strictEqual(mail?.subject, "New booking: Chiado Bcc: thief@example.test")
      assert.notMatch(mail?.text ?? "", /^Bcc/m)
      yield* book(host, propertyId, "Marguerite Duras")
      yield* mailAllDue
      yield* sql`UPDATE stays SET guest_name = NULL WHERE operator_id = ${host.operatorId}`
      yield* advance(NOTIFICATION_GATHERING_MS)
      yield* mailAllDue
      const [, second] = yield* mailsTo(host.email)
      assert.notInclude(second?.text, "Marguerite")
    })
  )

  it.effect("are dropped once they are too old, and deleted at the end of their retention", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* createRecipient()
      const sql = yield* SqlClient.SqlClient
      const add = (key: string, age: number) => sql`
        INSERT INTO notifications (operator_id, account_id, kind, event_key, record, created_at)
        VALUES (${host.operatorId}, ${host.accountId}, 'guest_message', ${key}, ${key}, ${new Date(NOW - age)})`
      yield* add("fresh", NOTIFICATION_MAX_AGE_MS - 1)
      yield* add("old", NOTIFICATION_MAX_AGE_MS)
      yield* add("ancient", NOTIFICATION_RETENTION_MS)
      yield* sql`UPDATE notification_recipients SET due_at = ${new Date(NOW)} WHERE account_id = ${host.accountId}`
      yield* mailAllDue
      assert.deepStrictEqual(yield* subjectsTo(host.email), ["Message from a guest"])
      yield* applyNotificationRetention(new Date(NOW))
      const rows = yield* sql<{ event_key: string; state: string }>`
        SELECT event_key, state FROM notifications WHERE operator_id = ${host.operatorId} ORDER BY event_key`
      assert.deepStrictEqual(rows, [
        { event_key: "fresh", state: "sent" },
        { event_key: "old", state: "dropped" }
      ])
    })
  )
})
