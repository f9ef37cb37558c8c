import { assert, describe, it } from "@effect/vitest"
import { toMailFailure } from "../../../src/platform/mail/smtp-mailer.ts"

const tagOf = (facts: object) => toMailFailure(Object.assign(new Error("test"), facts))._tag

describe("an SMTP error", () => {
  it("permits a retry only if the mail was certainly not delivered", () => {
    assert.strictEqual(tagOf({ code: "ESOCKET", originalCode: "ECONNREFUSED" }), "MailDeferred")
    assert.strictEqual(tagOf({ code: "ESOCKET", originalCode: "SELF_SIGNED_CERT_IN_CHAIN" }), "MailDeferred")
    assert.strictEqual(tagOf({ code: "ETIMEDOUT", timeoutType: "GREETING_TIMEOUT" }), "MailDeferred")
    assert.strictEqual(tagOf({ code: "EAUTH", responseCode: 535 }), "MailDeferred")
    assert.strictEqual(tagOf({ code: "ETLS", responseCode: 500 }), "MailDeferred")
    assert.strictEqual(tagOf({ code: "EMESSAGE", responseCode: 451 }), "MailDeferred")
    assert.strictEqual(tagOf({ code: "EMESSAGE", responseCode: 554 }), "MailRejected")
    assert.strictEqual(tagOf({ code: "EENVELOPE" }), "MailRejected")
    assert.strictEqual(tagOf({ code: "ESOCKET", originalCode: "ECONNRESET" }), "MailUnconfirmed")
    assert.strictEqual(tagOf({ code: "ETIMEDOUT", timeoutType: "SOCKET_TIMEOUT" }), "MailUnconfirmed")
    assert.strictEqual(tagOf({ code: "ECONNECTION" }), "MailUnconfirmed")
  })
})
