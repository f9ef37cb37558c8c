import { Effect } from "effect"
import type { atMostOnce } from "../../../changes/outward.ts"
import { CurrentOperator } from "../../../contract/caller.ts"
import { NotFound } from "../../../contract/errors.ts"
import { currentSecond, dateInZone } from "../../../contract/time.ts"
import { inTime, OUTWARD_ACT_MS, type RefusedByChannel } from "../../channels/port/api-errors.ts"
import type { ChannelGateway } from "../../channels/port/ChannelGateway.ts"
import type { create_review } from "./contract.ts"
import { NOTHING_WRITTEN } from "./review.ts"
import { showsTheSame, unlessReviewChanges } from "./rules/changing.ts"
import { againstWriting, isWritten, type Writing, writingOf, writingOn, writtenBy } from "./rules/writing.ts"
import type { FoundReview, ReviewStore } from "./store.ts"

// What a host writes of a guest, and answers to one, is told to the channel first: from then on nothing of ours can refuse.

/** The field of a call that the channel is told of. */
const CODE = "reservation_code"

type Gateway = ChannelGateway["Service"]
type Outward = ReturnType<typeof atMostOnce>

/** A host's words about an order, on the day it is where he is. */
export interface ToWrite {
  readonly operatorId: number
  /** IANA name. */
  readonly timeZone: string
  readonly reservationCode: string
  readonly writing: Writing
}

/**
 * Tells the channel, once under the call's key. It takes the same again, and no other: so whoever was cut off tells it again,
 * unless the channel has told of it in the meantime.
 */
const telling = (
  gateway: Gateway,
  outward: Outward,
  { operatorId, timeZone }: ToWrite,
  found: FoundReview,
  writing: Writing,
  at: Date
) => {
  const against = againstWriting(found, writing, dateInZone(at, timeZone))
  const { channel_account_id: accountId, channel_type: channelType, reservation_code, channel_id } = found
  const there = { reservationCode: reservation_code, channelId: channel_id, ...writing }
  return outward<RefusedByChannel, never>({
    check: against === undefined ? Effect.void : Effect.fail(against),
    act: inTime(gateway.writeReview({ operatorId, accountId, channelType }, there), CODE),
    happened: Effect.succeed(isWritten(found.written, writing)),
    lastsMs: OUTWARD_ACT_MS,
    leaves: () => "nothing"
  })
}

/** Who is cut off between channel and record leaves that as it was: the same again mends it, or the channel's next word. */
export const writeReview = (store: ReviewStore["Service"], gateway: Gateway, outward: Outward) =>
  Effect.fnUntraced(function* (toWrite: ToWrite) {
    const { operatorId, reservationCode } = toWrite
    let told = false
    const attempt = Effect.gen(function* () {
      const found = yield* store.find(operatorId, reservationCode)
      if (found === undefined) return yield* noSuchOrder
      const at = yield* currentSecond
      const writing = writingOn(found.channel_type, toWrite.writing)
      if (!told) yield* telling(gateway, outward, toWrite, found, writing, at)
      told = true
      const before = found.written ?? NOTHING_WRITTEN
      const written = writtenBy(before, writing, at)
      // Told, and the channel's own word of it was faster.
      if (showsTheSame(before, written)) return found
      const content = { ...written, channel_version: found.channel_version ?? 0 }
      return yield* store.write(operatorId, found, content, found.written === null ? "created" : "updated", at)
    })
    yield* unlessReviewChanges(attempt)
  })

export const createReview = (write: ReturnType<typeof writeReview>) =>
  Effect.fnUntraced(function* (payload: typeof create_review.payloadSchema.Type) {
    const { operatorId, timeZone } = yield* CurrentOperator
    const writing = yield* Effect.fromResult(writingOf(payload))
    yield* write({ operatorId, timeZone, reservationCode: payload.reservation_code, writing })
  })

const noSuchOrder = new NotFound({ message: `${CODE}: no such order.` })
