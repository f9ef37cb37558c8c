import { DateTime, Effect } from "effect"
import type { Conflict } from "../../contract/errors.ts"
import type { AccountThere, Connector } from "../../domain/channels/port/connector.ts"
import {
  ChannelDisconnected,
  ChannelNotServed,
  ChannelRefused,
  ChannelUnavailable
} from "../../domain/channels/port/errors.ts"
import { Accounts } from "./Accounts.ts"
import { makeFinding } from "./finding.ts"
import type { Mood, SandboxAccount } from "./rows.ts"
import { SandboxAllowed } from "./SandboxAllowed.ts"

// What is asked of an account is answered as its mood is, and noted.

type ToldOff = ChannelRefused | ChannelUnavailable | ChannelDisconnected | ChannelNotServed

/** What an act is: how it is noted, and whether it changes something. */
export interface Act {
  readonly act: keyof Connector
  readonly subject: string
  readonly summary: string
  readonly changes: boolean
}

const wordsOf = (error: ToldOff): string => {
  switch (error._tag) {
    case "ChannelRefused":
      return `refused: ${error.reason}`
    case "ChannelUnavailable":
      return String(error.code)
    case "ChannelDisconnected":
      return "disconnected"
    case "ChannelNotServed":
      return "not served"
  }
}

type Doing<A> = (account: SandboxAccount) => Effect.Effect<A, ToldOff>

/** What of an act that is done in this mood is answered. */
const answeredIn = <A>(
  { mood, mood_ms, mood_reason }: Mood,
  { changes }: Act,
  account: SandboxAccount,
  done: Effect.Effect<A, ToldOff>
): Effect.Effect<A, ToldOff> => {
  switch (mood) {
    case "accepts":
      return done
    case "refuses":
      return changes ? Effect.fail(new ChannelRefused({ reason: mood_reason })) : done
    case "late":
      return Effect.flatMap(Effect.exit(done), (answer) => Effect.delay(answer, mood_ms))
    case "never":
      return Effect.never
    case "502":
      return Effect.andThen(Effect.exit(done), new ChannelUnavailable({ code: 502 }))
    case "503":
      return Effect.fail(new ChannelUnavailable({ code: 503 }))
    case "disconnected":
      return Effect.fail(new ChannelDisconnected({ channelType: account.channel_type }))
  }
}

/** Asks are noted before they are answered: of an answer that never comes there would else be no line. */
const NOTED_AS: { readonly [Name in Mood["mood"]]?: string } = {
  late: "late",
  never: "no answer",
  "502": "done, but 502"
}

export const makeAnswering = Effect.gen(function* () {
  const accounts = yield* Accounts
  const finding = yield* makeFinding
  const { allowed } = yield* SandboxAllowed

  return <A>({ operatorId, accountId, channelType }: AccountThere, act: Act, doing: Doing<A>) =>
    Effect.gen(function* () {
      const account = (yield* allowed) ? yield* finding.account(operatorId, accountId) : undefined
      if (account === undefined) return yield* new ChannelNotServed({ channelType })
      const mood = yield* accounts.mood(account)
      const note = (answer: string) =>
        Effect.flatMap(DateTime.nowAsDate, (now) => accounts.note(account, { ...act, answer }, now))
      const early = NOTED_AS[mood.mood]
      if (early !== undefined) yield* note(early === "late" ? `${mood.mood_ms} ms late` : early)
      const answer = answeredIn(mood, act, account, doing(account))
      if (early !== undefined) return yield* answer
      return yield* answer.pipe(
        Effect.tap(() => note("ok")),
        Effect.tapError((error) => note(wordsOf(error)))
      )
    })
})

/** What changes too fast to be written is a channel that is away for the moment. */
export const orAway = <A>(work: Effect.Effect<A, ChannelRefused | Conflict>): Effect.Effect<A, ToldOff> =>
  Effect.catchTag(work, "Conflict", () => new ChannelUnavailable({ code: 503 }))
