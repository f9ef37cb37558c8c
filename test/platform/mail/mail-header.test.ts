import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { MAIL_SUBJECT_LENGTH } from "../../../src/platform/limits.ts"
import { isSingleAddress, parseMailSender, toHeaderText } from "../../../src/platform/mail/mail-header.ts"
import { parseSmtpUrl } from "../../../src/platform/mail/smtp-url.ts"

describe("the text of a header", () => {
  it("is one short line of any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 400 }), (text) => {
        const line = toHeaderText(text)
        assert.notMatch(line, /[\p{Cc}\p{Zl}\p{Zp}]/u)
        assert.isAtMost(Array.from(line).length, MAIL_SUBJECT_LENGTH)
        assert.strictEqual(toHeaderText(line), line)
      }),
      { numRuns: 200 }
    )
  })

  it("is cut beyond its longest length", () => {
    assert.strictEqual(toHeaderText("é".repeat(MAIL_SUBJECT_LENGTH)), "é".repeat(MAIL_SUBJECT_LENGTH))
    assert.strictEqual(toHeaderText("é".repeat(MAIL_SUBJECT_LENGTH + 1)), `${"é".repeat(MAIL_SUBJECT_LENGTH - 1)}…`)
  })

  it("knows a single address and a sender", () => {
    assert.isTrue(isSingleAddress("host@example.com"))
    for (const text of ["host", "a@b,c@d", "a@b c@d", "a@b\n", "<a@b>", "a@b@c", ""])
      assert.isFalse(isSingleAddress(text), text)
    assert.deepStrictEqual(parseMailSender("Harbour Stays <no-reply@example.com>"), {
      name: "Harbour Stays",
      address: "no-reply@example.com"
    })
    assert.deepStrictEqual(parseMailSender('"Harbour" <a@b.c>'), { name: "Harbour", address: "a@b.c" })
    assert.deepStrictEqual(parseMailSender("a@b.c"), { name: "", address: "a@b.c" })
    for (const text of ["", "Harbour", "a@b.c, d@e.f", "A <a@b.c>, B <d@e.f>", "A\r\nBcc: x@y.z <a@b.c>", "A <a@b.c"])
      assert.isUndefined(parseMailSender(text), text)
  })
})

describe("the address of a mail server", () => {
  it("has a host, and maybe a port and a password", () => {
    assert.deepStrictEqual(parseSmtpUrl("smtp://mail.example.com"), {
      ...{ host: "mail.example.com", port: 587, isTls: false, requiresTls: true },
      credentials: undefined
    })
    assert.deepStrictEqual(parseSmtpUrl("smtps://me%40example.com:p%3Ass@mail.example.com"), {
      ...{ host: "mail.example.com", port: 465, isTls: true, requiresTls: false },
      credentials: { user: "me@example.com", password: "p:ss" }
    })
    assert.isTrue(parseSmtpUrl("smtp://a:b@mail.example.com:25")?.requiresTls)
    for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
      assert.isFalse(parseSmtpUrl(`smtp://a:b@${host}:25`)?.requiresTls, host)
      assert.isFalse(parseSmtpUrl(`smtp://${host}`)?.requiresTls, host)
    }
    assert.isFalse(parseSmtpUrl("smtp://mail.example.com:25?tls=optional")?.requiresTls)
    assert.strictEqual(parseSmtpUrl("smtp://[::1]:25")?.host, "::1")
  })

  it("has nothing else", () => {
    const others = [
      ...["", "mail.example.com", "http://mail.example.com", "smtp://", "smtp://a@mail.example.com"],
      ...["smtp://mail.example.com/path", "smtp://mail.example.com?pool=true", "smtp://mail.example.com#a"],
      ...["smtp://mail.example.com?tls=none", "smtp://mail.example.com?tls=optional&a=b"],
      ...["smtp://a:b@mail.example.com?tls=optional", "smtps://mail.example.com?tls=optional"],
      ...["smtp://a:%zz@mail.example.com", "smtp://mail.example.com:99999", "smtp://mail example.com"]
    ]
    for (const text of others) assert.isUndefined(parseSmtpUrl(text), text)
  })
})
