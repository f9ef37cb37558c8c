import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as fc from "fast-check"
import { addDays, dateInZone } from "../../../../src/contract/time.ts"
import { newAccessToken } from "../../../../src/domain/access/operators/access-token.ts"
import commonPasswords from "../../../../src/domain/access/operators/common-passwords.json" with { type: "json" }
import {
  DisplayName,
  Email,
  endOfSubscription,
  isTimeZone,
  lastDayOfSubscription,
  Password
} from "../../../../src/domain/access/operators/operator-schemas.ts"
import { isAccountName, isCommonPassword } from "../../../../src/domain/access/operators/password-rules.ts"
import { ACCOUNT_NAME_LENGTH, EMAIL_LENGTH, PASSWORD_MAX, PASSWORD_MIN } from "../../../../src/platform/limits.ts"

const accepts = (schema: Schema.Codec<string>) => {
  const is = Schema.is(schema)
  return (text: string) => is(text)
}

const ZONES = ["Europe/Lisbon", "America/Sao_Paulo", "Asia/Kathmandu", "Pacific/Apia", "Africa/Cairo", "UTC"]
const zone = fc.constantFrom(...ZONES)
const day = fc.integer({ min: 0, max: 30_000 }).map((days) => addDays("1990-01-01", days))

describe("rules of operators", () => {
  it("a time zone is one of the IANA database", () => {
    for (const good of [...ZONES, "Asia/Kolkata", "America/Argentina/Buenos_Aires"])
      assert.isTrue(isTimeZone(good), good)
    for (const bad of ["", "Mars/Base", "+01:00", "-03", "Europe", "Lisbon", " UTC"])
      assert.isFalse(isTimeZone(bad), bad)
  })

  it("a name has 1 to ACCOUNT_NAME characters as people count them, and is not blank", () => {
    const name = accepts(DisplayName)
    assert.isTrue(name("a"))
    assert.isTrue(name("🏠".repeat(ACCOUNT_NAME_LENGTH)))
    assert.isFalse(name("🏠".repeat(ACCOUNT_NAME_LENGTH + 1)))
    assert.isFalse(name(""))
    assert.isFalse(name("  "))
  })

  it("an e-mail address is plausible and at most EMAIL characters long", () => {
    const email = accepts(Email)
    const long = (length: number) => `${"a".repeat(length - "@example.com".length)}@example.com`
    for (const good of ["a@b.co", "o'neil+x@mail.example.com", "root@localhost", long(EMAIL_LENGTH)]) {
      assert.isTrue(email(good), good)
    }
    for (const bad of [
      "",
      "a",
      "a@",
      "@b.co",
      "a b@c.de",
      "a@b..co",
      "a@b.co.",
      "Ann <a@b.co>",
      long(EMAIL_LENGTH + 1)
    ]) {
      assert.isFalse(email(bad), bad)
    }
  })

  it("a password has PASSWORD_MIN to PASSWORD_MAX characters", () => {
    const password = accepts(Password)
    assert.isFalse(password("x".repeat(PASSWORD_MIN - 1)))
    assert.isTrue(password("x".repeat(PASSWORD_MIN)))
    assert.isTrue(password("x".repeat(PASSWORD_MAX)))
    assert.isFalse(password("x".repeat(PASSWORD_MAX + 1)))
    assert.strictEqual(PASSWORD_MIN, 12)
    // The length counts characters, not surrogates.
    assert.isFalse(password("🔑".repeat(PASSWORD_MIN - 1)))
    assert.isTrue(password("🔑".repeat(PASSWORD_MIN)))
  })

  it("a password is not one of the most common ones in any case", () => {
    const password = accepts(Password)
    for (const common of [
      "password1234",
      "password1234\u200b",
      "p a s s w o r d 1 2 3 4",
      " ".repeat(12),
      "PassWordPassword",
      "123456789012",
      "QWERTYUIOP123",
      "ｐassword1234",
      "aaaaaaaaaaaa"
    ]) {
      assert.isTrue(isCommonPassword(common), common)
      assert.isFalse(password(common), common)
    }
    assert.isTrue(password("correct horse battery"))
  })

  it("each common password on the list is long enough, and is recognised", () => {
    for (const each of commonPasswords) {
      assert.isAtLeast(Array.from(each).length, PASSWORD_MIN)
      assert.isTrue(isCommonPassword(each), each)
    }
  })

  it("a password is not the name or the e-mail address of its account", () => {
    const account = { email: "Harbour.House@example.test", name: "Harbour House" }
    for (const known of ["harbour.house@EXAMPLE.test", "harbour.house", "HARBOUR HOUSE", " Harbour House "]) {
      assert.isTrue(isAccountName(known, account), known)
    }
    assert.isFalse(isAccountName("Harbour House by the sea", account))
    assert.isFalse(isAccountName("harbour.hous", { email: "harbour.house", name: "Harbour" }))
    assert.isTrue(isAccountName("harbour.house", { email: "harbour.house", name: "Harbour" }))
  })

  it("a subscription covers the whole of its last day in the operator's zone, and nothing of the next", () => {
    fc.assert(
      fc.property(day, zone, (lastDay, timeZone) => {
        const end = endOfSubscription(lastDay, timeZone)
        assert.strictEqual(dateInZone(end.getTime() - 1, timeZone), lastDay)
        assert.notStrictEqual(dateInZone(end, timeZone), lastDay)
        assert.strictEqual(lastDayOfSubscription(end, timeZone), lastDay)
      })
    )
  })

  it("9999-12-31, a way to say without end, is a day like any other", () => {
    assert.strictEqual(lastDayOfSubscription(endOfSubscription("9999-12-31", "Asia/Tokyo"), "Asia/Tokyo"), "9999-12-31")
  })

  it("a token is lk_ and at least 32 url-safe characters, never the same", () => {
    const tokens = Array.from({ length: 200 }, newAccessToken)
    for (const token of tokens) assert.match(token, /^lk_[A-Za-z0-9_-]{32,}$/)
    assert.strictEqual(new Set(tokens).size, tokens.length)
  })
})
