import { assert, describe, it } from "@effect/vitest"
import { NOTICE_LENGTH, UNDO_OFFER_MS } from "../../../../src/platform/limits.ts"
import { type Notice, noticeToast, sealNotice } from "../../../../src/transports/console/host/notice.ts"
import { NOTICE_FIELD } from "../../../../src/transports/console/host/page-url.ts"
import { deriveFormToken, type SignedInVisit } from "../../../../src/transports/console/visit.ts"
import { makeHostVisit } from "../../../support/transports/console/host/host-visit.ts"

const NOW = Date.parse("2027-05-04T10:00:00Z")

const MOVED: Notice = {
  text: "Moved to Lisbon, <Chiado> Loft.",
  undo: { action: "allocate", fields: { property_id: "7", way: '"' } }
}

const visitWith = (notice: string, cookie = "one"): SignedInVisit =>
  makeHostVisit({ path: "/console/stay", query: { code: "5-ABC", [NOTICE_FIELD]: notice }, cookie })

const sealOf = (notice: Notice, cookie = "one") => sealNotice(notice, deriveFormToken(cookie), NOW)

const toastAt = (visit: SignedInVisit, now: number): string => noticeToast(visit, now).html

describe("a notice after a form", () => {
  it("names what was done, and offers to undo it by a form of the same page", () => {
    const toast = toastAt(visitWith(sealOf(MOVED)), NOW)
    for (const part of [
      'role="status"',
      "Moved to Lisbon, &lt;Chiado&gt; Loft.",
      'action="/console/stay?code=5-ABC"',
      'name="property_id" value="7"',
      'name="way" value="&quot;"',
      'value="allocate">Undo</button>'
    ]) {
      assert.include(toast, part)
    }
    assert.notInclude(toast, `${NOTICE_FIELD}=`)
  })

  it("may offer nothing", () => {
    const toast = toastAt(visitWith(sealOf({ text: "Declined." })), NOW)
    assert.include(toast, "Declined.")
    assert.notInclude(toast, "<form")
  })

  it("ends after ten seconds", () => {
    assert.strictEqual(UNDO_OFFER_MS, 10_000)
    const visit = visitWith(sealOf(MOVED))
    assert.include(toastAt(visit, NOW + UNDO_OFFER_MS), "Undo")
    assert.strictEqual(toastAt(visit, NOW + UNDO_OFFER_MS + 1), "")
    assert.strictEqual(toastAt(visit, NOW - 1), "", "a notice of the future")
  })

  it("of another session is not shown", () => {
    const sealed = sealOf(MOVED, "another")
    assert.strictEqual(toastAt(visitWith(sealed, "one"), NOW), "")
    assert.include(toastAt(visitWith(sealed, "another"), NOW), "Undo")
  })

  it("that somebody has changed or made up is not shown", () => {
    const [encoded = "", signature = ""] = sealOf(MOVED).split(".")
    const forged = Buffer.from(JSON.stringify({ at: NOW, ...MOVED, text: "Call 0900." })).toString("base64url")
    for (const notice of [
      `${forged}.${signature}`,
      `${encoded}.${signature.slice(1)}`,
      `${encoded}.${signature.slice(0, -1)}A`,
      encoded,
      `.${signature}`,
      ".",
      "",
      "é.é"
    ]) {
      assert.strictEqual(toastAt(visitWith(notice), NOW), "", notice)
    }
  })

  it("that is signed but not a notice is not shown", () => {
    // Only this service signs, so this is what an earlier release may have signed.
    const sealed = sealNotice({ text: "x", undo: { action: "a", fields: {} } }, deriveFormToken("one"), Number.NaN)
    assert.strictEqual(toastAt(visitWith(sealed), NOW), "")
  })

  it("whose undo makes it too long has no undo", () => {
    const sealedWith = (length: number) =>
      sealOf({ text: "Moved.", undo: { action: "allocate", fields: { way: "x".repeat(length) } } })
    const longest = Array.from({ length: NOTICE_LENGTH }, (_, index) => NOTICE_LENGTH - index).find((length) =>
      toastAt(visitWith(sealedWith(length)), NOW).includes("Undo")
    )
    assert.isDefined(longest)
    assert.isAtMost(sealedWith(longest ?? 0).length, NOTICE_LENGTH)
    const withoutUndo = toastAt(visitWith(sealedWith((longest ?? 0) + 1)), NOW)
    assert.include(withoutUndo, "Moved.")
    assert.notInclude(withoutUndo, "Undo")
  })
})
