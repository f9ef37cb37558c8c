import { assert, describe, it } from "@effect/vitest"
import fc from "fast-check"
import { LINK_PATHS } from "../../../src/domain/access/sign-in/mailed-links/link-url.ts"
import { NOTIFICATION_LINKS, type NotificationFacts, renderDigest } from "../../../src/domain/notifications/digest.ts"
import { NOTIFICATION_KINDS } from "../../../src/domain/notifications/kinds.ts"
import { toShortText } from "../../../src/domain/notifications/text-parts.ts"
import { NOTIFICATION_TEXT_LENGTH, NOTIFICATIONS_DESCRIBED_MAX } from "../../../src/platform/limits.ts"
import { WEBHOOK_PATH } from "../../../src/transports/console/access/webhooks/webhook-parts.ts"
import {
  ICAL_SYNC_PATH,
  MESSAGES_PATH,
  NOTIFICATIONS_PATH,
  RESERVATIONS_PATH,
  STAY_PATH
} from "../../../src/transports/console/host/urls.ts"

const PUBLIC_URL = "https://stays.example.com"

const text = fc.option(fc.string({ unit: "binary", maxLength: 200 }))
const facts: fc.Arbitrary<NotificationFacts> = fc.record({
  kind: fc.constantFrom(...NOTIFICATION_KINDS),
  ...{ reservation_code: fc.constant("5-ABC"), stay_code: fc.constant("5-ABC"), property: text },
  ...{ check_in_date: fc.constant("2027-01-14"), check_out_date: fc.constant("2027-01-17") },
  ...{ conversation: fc.constant("c1"), guest_name: text, host: text, webhook_id: fc.constant(7) },
  ...{ is_paused: fc.boolean(), reason: text }
})

describe("the mail of notifications", () => {
  it("describes a bounded number of them, counts the others, and has one line per text", () => {
    fc.assert(
      fc.property(fc.array(facts, { minLength: 1, maxLength: 25 }), fc.nat(600), (notifications, more) => {
        const total = notifications.length + more
        const mail = renderDigest({ publicUrl: PUBLIC_URL, notifications, total })
        const paragraphs = mail.text.trimEnd().split("\n\n")
        const described = Math.min(notifications.length, NOTIFICATIONS_DESCRIBED_MAX)
        assert.lengthOf(paragraphs, described + (total > described ? 2 : 1))
        for (const paragraph of paragraphs.slice(0, described)) assert.lengthOf(paragraph.split("\n"), 2)
        if (total > described) assert.include(mail.text, `and ${total - described} more`)
      }),
      { numRuns: 200 }
    )
  })

  it("shortens texts beyond their longest length", () => {
    assert.strictEqual(toShortText("é".repeat(NOTIFICATION_TEXT_LENGTH)), "é".repeat(NOTIFICATION_TEXT_LENGTH))
    assert.strictEqual(
      toShortText("é".repeat(NOTIFICATION_TEXT_LENGTH + 1)),
      `${"é".repeat(NOTIFICATION_TEXT_LENGTH - 1)}…`
    )
    assert.isNull(toShortText(" \r\n"))
  })

  it("links to pages of the console", () => {
    assert.deepStrictEqual(NOTIFICATION_LINKS, {
      ...{ stay: STAY_PATH, reservations: RESERVATIONS_PATH, messages: MESSAGES_PATH, webhook: WEBHOOK_PATH },
      ...{ calendars: ICAL_SYNC_PATH, choices: NOTIFICATIONS_PATH }
    })
    assert.deepStrictEqual(LINK_PATHS, { verify_email: "/console/verify", reset_password: "/console/reset" })
  })
})
