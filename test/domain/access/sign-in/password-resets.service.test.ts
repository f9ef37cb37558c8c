import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { computeDigest } from "../../../../src/admission/gate/credentials.ts"
import { PasswordCost } from "../../../../src/domain/access/operators/password.ts"
import { LinkQueue } from "../../../../src/domain/access/sign-in/mailed-links/LinkQueue.ts"
import { MailedLinks } from "../../../../src/domain/access/sign-in/mailed-links/MailedLinks.ts"
import { applyLinkRetention } from "../../../../src/domain/access/sign-in/mailed-links/retention.ts"
import { Passwords } from "../../../../src/domain/access/sign-in/Passwords.ts"
import { NotificationStore } from "../../../../src/domain/notifications/store.ts"
import {
  LINK_MAIL_RETENTION_MS,
  RESET_LINK_MS,
  RESET_MAILS_PER_LINK_LIFETIME,
  VERIFICATION_LINK_MS,
  VERIFICATION_MAILS_AN_HOUR
} from "../../../../src/platform/limits.ts"
import { MailDeferred } from "../../../../src/platform/mail/Mailer.ts"
import { SentMails } from "../../../../src/platform/mail/memory-mailer.ts"
import { callAsPerson } from "../../../support/console-caller.ts"
import { CHEAP_PASSWORD_COST, createSignInAccount } from "../../../support/domain/access/sign-in/sign-in-accounts.ts"
import {
  emptyNotificationTables,
  findLinkToken,
  layerNotificationService,
  mailAllDue,
  mailsTo
} from "../../../support/domain/notifications/notification-service.ts"
import { asSystemActor } from "../../../support/harness.ts"
import { countStatements } from "../../../support/statement-count.ts"

const NOW = Date.parse("2027-06-01T10:00:00Z")
const NEW_PASSWORD = "a better horse"

const begin = Effect.andThen(TestClock.setTime(NOW), emptyNotificationTables)

const requestReset = (email: string) => MailedLinks.use(({ requestReset }) => requestReset(email))

const changeByLink = (token: string, password = NEW_PASSWORD) =>
  asSystemActor(Passwords.use((passwords) => passwords.changeByLink(token, { password, address: "192.0.2.1" })))

const latestToken = (email: string) => Effect.map(mailsTo(email), (mails) => findLinkToken(mails.at(-1)?.text ?? ""))

const readPasswordHash = Effect.fnUntraced(function* (accountId: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ password_hash: string }>`SELECT password_hash FROM accounts WHERE id = ${accountId}`
  return row?.password_hash
}, Effect.orDie)

const layerResets = Layer.provideMerge(layerNotificationService, Layer.succeed(PasswordCost, CHEAP_PASSWORD_COST))

layer(layerResets, { excludeTestServices: false })("a password reset", (it) => {
  it.effect("changes the password once by the mailed link, ends all sessions and is in the audit log", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* createSignInAccount()
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO console_sessions (operator_id, digest, account_id, password_digest, created_at, password_at, seen_at, expires_at)
        SELECT operator_id, sha256('1'), id, sha256('2'), now(), now(), now(), now() + interval '1 year' FROM accounts WHERE id = ${host.accountId}`
      yield* requestReset(host.email.toUpperCase())
      yield* mailAllDue
      const [mail, ...others] = yield* mailsTo(host.email)
      assert.lengthOf(others, 0)
      const token = findLinkToken(mail?.text ?? "")
      const [link] = yield* sql<{
        digest: Uint8Array
      }>`SELECT digest FROM mailed_links WHERE account_id = ${host.accountId}`
      assert.deepStrictEqual(Buffer.from(link?.digest ?? []), Buffer.from(computeDigest(token)))
      const before = yield* readPasswordHash(host.accountId)
      assert.deepStrictEqual(yield* changeByLink(token), { account_id: host.accountId, sessions_ended: 1 })
      const after = yield* readPasswordHash(host.accountId)
      assert.notStrictEqual(after, before)
      const entries = yield* sql<{ fields: ReadonlyArray<string>; account_id: number }>`
        SELECT fields, account_id FROM trail WHERE operator_id = ${host.operatorId} AND record = ${`account:${host.accountId}`}
          AND fields = '{password}'`
      assert.deepStrictEqual(entries, [{ fields: ["password"], account_id: host.accountId }])
      assert.strictEqual((yield* Effect.flip(changeByLink(token)))._tag, "NotFound")
      assert.strictEqual(yield* readPasswordHash(host.accountId), after)
    })
  )

  it.effect(
    "ends with the password rules, the time of the link, another use, another address and a disabled account",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const startReset = Effect.gen(function* () {
          yield* begin
          const host = yield* createSignInAccount()
          yield* requestReset(host.email)
          yield* mailAllDue
          return { ...host, token: yield* latestToken(host.email) }
        })
        const unchanged = Effect.fnUntraced(function* (
          accountId: number,
          token: string,
          tag: string,
          password?: string
        ) {
          const before = yield* readPasswordHash(accountId)
          assert.strictEqual((yield* Effect.flip(changeByLink(token, password)))._tag, tag)
          assert.strictEqual(yield* readPasswordHash(accountId), before)
        })
        const weak = yield* startReset
        for (const password of ["short", "password1234", weak.email])
          yield* unchanged(weak.accountId, weak.token, "ValidationFailed", password)
        yield* TestClock.adjust(RESET_LINK_MS - 1)
        yield* changeByLink(weak.token)
        const late = yield* startReset
        yield* TestClock.adjust(RESET_LINK_MS)
        yield* unchanged(late.accountId, late.token, "NotFound")
        const twice = yield* startReset
        yield* requestReset(twice.email)
        yield* mailAllDue
        yield* changeByLink(yield* latestToken(twice.email))
        yield* unchanged(twice.accountId, twice.token, "NotFound")
        const renamed = yield* startReset
        yield* sql`UPDATE accounts SET email = ${`new-${renamed.email}`} WHERE id = ${renamed.accountId}`
        yield* unchanged(renamed.accountId, renamed.token, "NotFound")
        const closed = yield* startReset
        yield* sql`UPDATE operators SET status = 'closed' WHERE id = ${closed.operatorId}`
        yield* unchanged(closed.accountId, closed.token, "NotFound")
        for (const token of ["", "lkmail_", `${closed.token}a`, "lkmail_".padEnd(50, "a")]) {
          assert.strictEqual((yield* Effect.flip(changeByLink(token)))._tag, "NotFound")
        }
      })
  )

  it.effect("is used by only one of two simultaneous changes", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* createSignInAccount()
      yield* requestReset(host.email)
      yield* mailAllDue
      const token = yield* latestToken(host.email)
      const results = yield* Effect.all(
        [Effect.exit(changeByLink(token)), Effect.exit(changeByLink(token, `${NEW_PASSWORD} 2`))],
        { concurrency: 2 }
      )
      assert.lengthOf(
        results.filter(({ _tag }) => _tag === "Success"),
        1
      )
    })
  )

  it.effect("does the same for an address without an account, and mails nothing", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* createSignInAccount()
      const sql = yield* SqlClient.SqlClient
      const unknown = "nobody@example.test"
      const [, statementsOfKnown] = yield* countStatements(requestReset(host.email))
      const [, statementsOfUnknown] = yield* countStatements(requestReset(unknown))
      assert.deepStrictEqual([statementsOfKnown, statementsOfUnknown], [1, 1])
      const counts = yield* sql<{ mails: number }>`SELECT mails FROM mail_counts WHERE scope = 'reset_password'`
      assert.deepStrictEqual(counts, [{ mails: 1 }, { mails: 1 }])
      for (const text of ["", "\u0000", "x".repeat(300), "\ud800@example.test"]) yield* requestReset(text)
      yield* mailAllDue
      assert.lengthOf(yield* mailsTo(host.email), 1)
      assert.lengthOf(yield* mailsTo(unknown), 0)
    })
  )

  it.effect(
    "is mailed at most RESET_MAILS_PER_LINK_LIFETIME times in the life of a link, also by simultaneous requests",
    () =>
      Effect.gen(function* () {
        yield* begin
        const host = yield* createSignInAccount()
        const requests = Array.from({ length: RESET_MAILS_PER_LINK_LIFETIME + 1 }, () => requestReset(host.email))
        yield* Effect.all(requests, { concurrency: "unbounded" })
        yield* mailAllDue
        assert.lengthOf(yield* mailsTo(host.email), RESET_MAILS_PER_LINK_LIFETIME)
        yield* TestClock.adjust(RESET_LINK_MS)
        yield* requestReset(host.email)
        yield* mailAllDue
        assert.lengthOf(yield* mailsTo(host.email), RESET_MAILS_PER_LINK_LIFETIME + 1)
      })
  )

  it.effect("mails another token after a deferred attempt, and none after a process died while it sent", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* createSignInAccount()
      const [mails, queue] = [yield* SentMails, yield* LinkQueue]
      yield* mails.failNext(new MailDeferred({ reason: "test" }))
      yield* requestReset(host.email)
      yield* mailAllDue
      assert.lengthOf(yield* mailsTo(host.email), 0)
      yield* TestClock.adjust(60_000)
      yield* mailAllDue
      yield* changeByLink(yield* latestToken(host.email))
      yield* requestReset(host.email)
      const now = new Date(NOW + 60_000)
      const [link] = yield* queue.claim(now, 1, [])
      assert.isDefined(link)
      if (link === undefined) return
      const sending = { digest: computeDigest("test"), expiresAt: new Date(NOW + 120_000), now }
      assert.deepStrictEqual(yield* queue.beginSending(link, sending), { email: host.email })
      yield* TestClock.adjust(10 * 60_000)
      yield* mailAllDue
      assert.lengthOf(yield* mailsTo(host.email), 1)
    })
  )

  it.effect("leaves no rows after its retention", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* createSignInAccount()
      const sql = yield* SqlClient.SqlClient
      yield* requestReset(host.email)
      yield* mailAllDue
      yield* applyLinkRetention(new Date(NOW + LINK_MAIL_RETENTION_MS - 1))
      assert.lengthOf(yield* sql`SELECT FROM mailed_links`, 1)
      yield* applyLinkRetention(new Date(NOW + LINK_MAIL_RETENTION_MS))
      assert.lengthOf(yield* sql`SELECT FROM mailed_links`, 0)
      assert.lengthOf(yield* sql`SELECT FROM mail_counts`, 0)
    })
  )
})

layer(layerResets, { excludeTestServices: false })("an e-mail address", (it) => {
  it.effect("is confirmed once by its link, within its time, and then gets the chosen notifications", () =>
    Effect.gen(function* () {
      yield* begin
      const host = yield* createSignInAccount()
      const sql = yield* SqlClient.SqlClient
      const verify = (token: string) => asSystemActor(NotificationStore.use(({ verifyEmail }) => verifyEmail(token)))
      const readState = sql<{ kinds: ReadonlyArray<string>; verified_email: string | null }>`
        SELECT kinds, verified_email FROM notification_recipients WHERE account_id = ${host.accountId}`
      const kinds = ["guest_message", "new_booking"]
      assert.deepInclude(yield* callAsPerson(host, "update_notifications", { kinds }), { error_code: 0 })
      assert.deepStrictEqual(yield* readState, [{ kinds, verified_email: null }])
      assert.deepInclude(yield* callAsPerson(host, "request_email_verification"), { error_code: 0 })
      yield* mailAllDue
      const token = yield* latestToken(host.email)
      yield* TestClock.adjust(VERIFICATION_LINK_MS - 1)
      assert.isFalse(yield* verify("lkmail_".padEnd(50, "a")))
      assert.isTrue(yield* verify(token))
      assert.isFalse(yield* verify(token))
      assert.deepStrictEqual(yield* readState, [{ kinds, verified_email: host.email }])
      assert.strictEqual((yield* Effect.flip(changeByLink(token)))._tag, "NotFound")
      const entries = yield* sql<{ fields: ReadonlyArray<string> }>`
        SELECT fields FROM trail WHERE record = ${`account:${host.accountId}`} AND operator_id = ${host.operatorId} ORDER BY id`
      const fields = entries.flatMap((entry) => entry.fields)
      for (const field of ["notifications", "email_verification", "verified_email"]) assert.include(fields, field)
    })
  )

  it.effect(
    "is not confirmed after the time of the link, and gets at most VERIFICATION_MAILS_AN_HOUR links in an hour",
    () =>
      Effect.gen(function* () {
        yield* begin
        const host = yield* createSignInAccount()
        const request = Effect.map(callAsPerson(host, "request_email_verification"), ({ error_code }) => error_code)
        for (let mails = 0; mails < VERIFICATION_MAILS_AN_HOUR; mails++) assert.strictEqual(yield* request, 0)
        assert.strictEqual(yield* request, 429)
        yield* mailAllDue
        assert.lengthOf(yield* mailsTo(host.email), VERIFICATION_MAILS_AN_HOUR)
        const token = yield* latestToken(host.email)
        yield* TestClock.adjust(VERIFICATION_LINK_MS)
        assert.isFalse(yield* asSystemActor(NotificationStore.use(({ verifyEmail }) => verifyEmail(token))))
      })
  )

  it.effect("takes no unknown kind, and more kinds than there are", () =>
    Effect.gen(function* () {
      const host = yield* createSignInAccount()
      for (const kinds of [["other"], "new_booking", Array.from({ length: 6 }, () => "new_booking")]) {
        const { error_code, error_msg } = yield* callAsPerson(host, "update_notifications", { kinds })
        assert.include([400, 422], error_code)
        assert.match(error_msg, /^kinds/)
      }
    })
  )
})
