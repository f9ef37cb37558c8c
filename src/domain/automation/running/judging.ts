import { Result } from "effect"
import { dateInZone } from "../../../contract/time.ts"
import type { MessageSource } from "../../guests/conversations/contract.ts"
import { saidOfStay } from "../rules/saying.ts"
import { concerns, timelinessOf } from "../rules/scheduling.ts"
import type { Filled } from "../rules/template.ts"
import { docsOfRule, sourcesOf } from "../sources.ts"
import type { MessageGround, PlanGround, ReviewGround } from "./ground.ts"

// What is to become of a plan whose time has come, or whom somebody runs by hand, by all that is known at that moment.

/** What is said or written, with everything in it. */
export type Doing =
  | {
      readonly does: "message"
      readonly conversationId: number
      readonly text: string
      readonly sources: ReadonlyArray<typeof MessageSource.Type>
    }
  | { readonly does: "review"; readonly score: number; readonly text: string }

/**
 * Why it cannot be done: the conversation may come yet; what is missing in the text is not known, and nobody waits for it; and a
 * guest who is still there is not reviewed.
 */
export interface Hindrance {
  readonly of: "conversation" | "text" | "day"
  readonly reason: string
}

/** Outdated is what follows from nothing any more, be it that its rule is paused, and what has another time by now. */
export type Fate =
  | { readonly is: "outdated" }
  | { readonly is: "late"; readonly reason: string }
  | { readonly is: "due" }

/** Whether the plan still follows from its rule. */
export const follows = ({ is_active, kind, is_last, definition, ...stay }: PlanGround): boolean =>
  is_active && concerns(definition, stay) && (kind !== "review" || is_last)

/** What is to become of a plan by the clock. */
export const fateOf = (ground: PlanGround, now: Date): Fate => {
  const { definition, since, ...stay } = ground
  const { trigger } = definition
  if (trigger.event === "inquiry" || !follows(ground)) return { is: "outdated" }
  switch (timelinessOf({ trigger, stay, since, now })) {
    case "early":
      return { is: "outdated" }
    case "late":
      return { is: "late", reason: ground.reason === null ? TOO_LATE : `${TOO_LATE}: ${ground.reason}` }
    case "due":
      return { is: "due" }
  }
}

const TOO_LATE = "the scheduled time has passed"

const hindered = (of: Hindrance["of"], reason: string): Result.Result<never, Hindrance> => Result.fail({ of, reason })

const filledFor = (stay: PlanGround, now: Date, publicUrl: string): Result.Result<Filled, Hindrance> =>
  Result.mapError(
    saidOfStay(stay.definition, { stay, now, publicUrl }),
    (reason): Hindrance => ({ of: "text", reason })
  )

const saying = (ground: MessageGround, now: Date, publicUrl: string): Result.Result<Doing, Hindrance> => {
  const { conversation_id: conversationId, rule_id, definition, title, property_id } = ground
  if (conversationId === null) return hindered("conversation", "there is no conversation with the guest")
  return Result.map(filledFor(ground, now, publicUrl), (filled) => ({
    does: "message",
    conversationId,
    text: filled.text,
    sources: sourcesOf(docsOfRule({ ...filled, rule_id, name: definition.name, title, property_id }))
  }))
}

/** Its stay is the last of its order ({@link follows}): on the day on which that ends its guest has left. */
const reviewing = (ground: ReviewGround, now: Date, publicUrl: string): Result.Result<Doing, Hindrance> => {
  const { check_out_date, time_zone } = ground
  if (dateInZone(now, time_zone) < check_out_date) {
    return hindered("day", `the guest checks out on ${check_out_date}; reviews are possible from that date on`)
  }
  const { score } = ground.definition
  return Result.map(filledFor(ground, now, publicUrl), ({ text }) => ({ does: "review", score, text }))
}

/** What is to be done, whatever the clock says; fails with why it cannot be. */
export const doingOf = (ground: PlanGround, now: Date, publicUrl: string): Result.Result<Doing, Hindrance> =>
  ground.kind === "review" ? reviewing(ground, now, publicUrl) : saying(ground, now, publicUrl)
