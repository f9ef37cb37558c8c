import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { ChannelType } from "../../../../src/domain/channels/port/channel-type.ts"
import { getMessageLimit } from "../../../../src/domain/channels/port/message-limits.ts"
import {
  buildActivities,
  checkMessageLength,
  isNoteWithinLimit,
  parseMessageContent,
  toMessagePage
} from "../../../../src/domain/guests/conversations/rules.ts"
import {
  ACTIVITIES_SHOWN,
  CONVERSATION_NOTE_LENGTH,
  MESSAGE_LENGTH,
  MESSAGES_SHOWN
} from "../../../../src/platform/limits.ts"

const blank = fc.constantFrom(undefined, "", " ", "\n\t ", "\u00a0", "\u200b", " \u2060\ufeff")

describe("what is sent", () => {
  it("is nothing without a text that says something and without an image, which names both", () => {
    fc.assert(
      fc.property(blank, blank, (message, jpeg_base64) => {
        const sent = parseMessageContent({
          ...(message === undefined ? {} : { message }),
          ...(jpeg_base64 === undefined ? {} : { jpeg_base64 })
        })
        assert.isTrue(Result.isFailure(sent) && /message.*jpeg_base64/.test(sent.failure.message))
      })
    )
  })

  it("is the text as it was given", () => {
    const text = fc.string({ unit: "grapheme" }).filter((each) => each.trim() !== "")
    fc.assert(
      fc.property(text, (message) => {
        assert.deepStrictEqual(
          parseMessageContent({ message: ` ${message}\n` }),
          Result.succeed({ text: ` ${message}\n`, jpegBase64: undefined })
        )
      })
    )
  })

  it("is an image alone where the text is blank", () => {
    assert.deepStrictEqual(
      parseMessageContent({ message: "  ", jpeg_base64: "/9j/" }),
      Result.succeed({ text: "", jpegBase64: "/9j/" })
    )
  })
})

describe("a text on a channel", () => {
  it("may be as long as the channel takes, counted as people do, and no longer", () => {
    for (const type of ChannelType.literals) {
      const most = getMessageLimit(type)
      assert.isAtMost(most, MESSAGE_LENGTH)
      assert.isTrue(Result.isSuccess(checkMessageLength(type, "😀".repeat(most))))
      const long = checkMessageLength(type, "😀".repeat(most + 1))
      assert.isTrue(Result.isFailure(long) && new RegExp(`^message: .*${most} .*${type}`).test(long.failure.message))
    }
  })
})

describe("the newest messages", () => {
  it("are the first that were read, at most one page, and there are more if one more was read", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MESSAGES_SHOWN + 1 }), (count) => {
        const read = Array.from({ length: count }, (_, at) => at)
        const { messages, has_more } = toMessagePage(read)
        assert.strictEqual(has_more, count === MESSAGES_SHOWN + 1)
        assert.deepStrictEqual(messages, has_more ? read.slice(0, MESSAGES_SHOWN) : read)
      })
    )
  })
})

describe("what a conversation is about", () => {
  const about = fc.record({
    listing_id: fc.constantFrom("L1", "L2", null),
    check_in_date: fc.constantFrom("2027-05-01", "2027-05-02"),
    check_out_date: fc.constantFrom("2027-05-03", "2027-05-04")
  })

  it("is its stays in their order, and an inquiry before them unless a stay is just that", () => {
    fc.assert(
      fc.property(fc.option(about), fc.array(about, { maxLength: ACTIVITIES_SHOWN + 1 }), (inquiry, stays) => {
        const activities = buildActivities(inquiry, stays)
        const asked = activities.filter(({ activity_type }) => activity_type === "inquiry")
        const isReserved = stays.some((stay) => JSON.stringify(stay) === JSON.stringify(inquiry))
        assert.lengthOf(asked, inquiry === null || isReserved ? 0 : 1)
        assert.strictEqual(activities.length, Math.min(asked.length + stays.length, ACTIVITIES_SHOWN))
        const reserved = activities.slice(asked.length).map(({ activity_type: _type, ...stay }) => stay)
        assert.deepStrictEqual(reserved, stays.slice(0, reserved.length))
      })
    )
  })
})

describe("a note", () => {
  it.each(["x", "🙂", "👨‍👩‍👧‍👦", "e\u0301", "🇵🇹", "각"])("has as many characters as people count: %s", (character) => {
    assert.isTrue(isNoteWithinLimit(character.repeat(CONVERSATION_NOTE_LENGTH)))
    assert.isFalse(isNoteWithinLimit(character.repeat(CONVERSATION_NOTE_LENGTH + 1)))
  })

  it("of far more units than that is not counted", () => {
    assert.isTrue(isNoteWithinLimit("e\u0301".repeat(CONVERSATION_NOTE_LENGTH)))
    assert.isFalse(isNoteWithinLimit(`e${"\u0301".repeat(16 * CONVERSATION_NOTE_LENGTH)}`))
  })
})
