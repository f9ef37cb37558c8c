import { Context, Effect, Layer, Option } from "effect"
import type { Caller, GateError, Person } from "../../contract/caller.ts"
import { RateLimited, type ServerError } from "../../contract/errors.ts"
import type { CallLimits } from "../../contract/operation.ts"
import { Deployment, type DeploymentName } from "../../platform/installation.ts"
import { inSpan } from "../../platform/telemetry/spans.ts"
import { countsAsInvalid, countsAsUnsent } from "../windows/limit-table.ts"
import { rateLimitHeaders, refusalMessage } from "../windows/messages.ts"
import { RateWindows } from "../windows/RateWindows.ts"
import { tokenOf } from "./credentials.ts"
import { invalidToken, isEnded, refusalOf } from "./entitlement.ts"
import { rememberBuckets } from "./remembered-buckets.ts"
import { type KnownToken, TOKEN_TRUSTED_MS, Tokens } from "./Tokens.ts"
import { TokenUsed } from "./TokenUsed.ts"

type Headers = Readonly<Record<string, string | undefined>>

/** What the Gate looks at of a call. */
export interface Approach {
  /** Method and path template below /v3, or `unmatched`. */
  readonly route: string
  /** Whether it changes nothing. */
  readonly read: boolean
  /** The route's own limits, where they are not the ordinary ones. */
  readonly limits?: CallLimits | undefined
  /** Of a message: the conversation it goes to, which has windows of its own. */
  readonly conversationId?: string | undefined
  readonly headers: Headers
  /** What keeps every call of an operator out at this moment, beside what it is entitled to: a call refused with it counts in no window. */
  readonly noRoom?: (operatorId: number) => ServerError | undefined
  /** Who is signed in, in the place of a token: counted in no window, as nobody clicks that often. */
  readonly person?: Person | undefined
}

/** A call that was let in. */
export interface LetIn {
  readonly caller: Caller
  /** Rate-limit fields of the answer. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * To be run with the error_code of an answer that is one: a call that could not succeed as sent counts towards layer 4, and a
   * message that was refused for what it is counts in no window of its conversation.
   */
  readonly failedWith: (errorCode: number) => Effect.Effect<void>
  /** To be run when nothing was done for it, for want of a place: it counts in no window. */
  readonly notBegun: Effect.Effect<void>
  /** To be run when it succeeded and sent nothing, since another call had: it counts in no window of its conversation either. */
  readonly sentNothing: Effect.Effect<void>
  /**
   * To be run before an answer that may have taken long is given: fails as `enter` would when the token, its account or the
   * subscription has ended since. Counts in no window, and asks nothing in the first {@link TOKEN_TRUSTED_MS}.
   */
  readonly stillEntitled: Effect.Effect<void, GateError>
}

/** A call that was not let in. */
export interface TurnedAway {
  readonly error: GateError | ServerError
  /** Whose token it came with, also where that works no longer; undefined: it never was one. */
  readonly by: Caller | undefined
}

/** One that was not for what it came with. */
interface NotEntitled extends TurnedAway {
  readonly error: GateError
}

/**
 * Who may call, and how often. The order of the checks is the specification's: token (401), subscription (420), scope
 * (401), windows and quota (429); a call refused earlier is not counted later. Whether there is room for it (500) is asked
 * before the windows, so that what nobody works on uses nothing up.
 */
export class Gate extends Context.Service<
  Gate,
  {
    readonly enter: (approach: Approach) => Effect.Effect<LetIn, TurnedAway>
    /** Returns the caller of the token in these headers, also for a banned or lapsed account. Undefined if the token is invalid. */
    readonly callerOf: (headers: Headers) => Effect.Effect<Caller | undefined>
  }
>()("latchkey/gate/Gate") {
  static readonly layer = Layer.effect(
    Gate,
    Effect.gen(function* () {
      const tokens = yield* Tokens
      const windows = yield* RateWindows
      const deployment = yield* Deployment
      const noteUse = yield* TokenUsed

      const buckets = rememberBuckets()

      const identify = identifying(tokens, deployment)

      const entitled = ({ headers, read }: Approach): Effect.Effect<Entitled, NotEntitled> =>
        Effect.flatMap(identify(headers), (token) =>
          Effect.clockWith((clock) => {
            const now = clock.currentTimeMillisUnsafe()
            const refusal = refusalOf(token, { read, now })
            return Option.isSome(refusal) ? turnAway(refusal.value, token) : Effect.succeed({ token, now })
          })
        )

      const stillEntitled = (approach: Approach, since: number): Effect.Effect<void, GateError> =>
        Effect.clockWith((clock) =>
          clock.currentTimeMillisUnsafe() - since < TOKEN_TRUSTED_MS
            ? Effect.void
            : Effect.mapError(Effect.asVoid(entitled(approach)), ({ error }) => error)
        )

      const admit = (approach: Approach, { token, now }: Entitled): Effect.Effect<LetIn, TurnedAway> => {
        noteUse(token, now)
        const full = approach.noRoom?.(token.operatorId)
        if (full !== undefined) return turnAway(full, token)
        const { call, conversation, invalid } = buckets.of(token, approach)
        return Effect.flatMap(windows.admit(call, invalid), (admission) => {
          const headers = rateLimitHeaders(admission)
          if (admission._tag === "Refused") {
            return turnAway(new RateLimited({ message: refusalMessage(admission), headers }), token)
          }
          const sentNothing = conversation.length === 0 ? Effect.void : windows.giveBack(conversation, admission.at)
          return Effect.succeed({
            caller: token,
            headers,
            failedWith: (errorCode: number) =>
              Effect.andThen(
                countsAsInvalid(errorCode) ? windows.count(invalid) : Effect.void,
                countsAsUnsent(errorCode) ? sentNothing : Effect.void
              ),
            notBegun: windows.giveBack(call, admission.at),
            sentNothing,
            stillEntitled: stillEntitled(approach, now)
          })
        })
      }

      const traced = inSpan("gate")
      return Gate.of({
        enter: (approach) =>
          approach.person === undefined
            ? traced(Effect.flatMap(entitled(approach), (letIn) => admit(approach, letIn)))
            : enterAs(approach.person, approach.read),
        callerOf: (headers) => Effect.orElseSucceed(identify(headers), () => undefined)
      })
    })
  )
}

/** Whose token came with a call, if it works here and now. */
const identifying =
  (tokens: Tokens["Service"], deployment: DeploymentName) =>
  (headers: Headers): Effect.Effect<KnownToken, NotEntitled> => {
    const token = tokenOf(headers)
    if (token === undefined) return turnAway(invalidToken(), undefined)
    return Effect.flatMap(tokens.lookup(token), (known) =>
      Effect.clockWith((clock) =>
        known === undefined || isEnded(known, { now: clock.currentTimeMillisUnsafe(), deployment })
          ? turnAway(invalidToken(), known)
          : Effect.succeed(known)
      )
    )
  }

/** Lets in who is signed in, as far as the account may do anything. */
const enterAs = (person: Person, read: boolean): Effect.Effect<LetIn, TurnedAway> =>
  Effect.clockWith((clock) => {
    const standing = { ...person.caller, status: person.status, subscriptionUntil: person.subscriptionUntil }
    const refusal = refusalOf(standing, { read, now: clock.currentTimeMillisUnsafe() })
    return Option.isSome(refusal)
      ? turnAway(refusal.value, person.caller)
      : Effect.succeed({
          caller: person.caller,
          headers: {},
          failedWith: () => Effect.void,
          notBegun: Effect.void,
          sentNothing: Effect.void,
          stillEntitled: Effect.void
        })
  })

/** A token that may be used for what is asked, and when that was seen. */
interface Entitled {
  readonly token: KnownToken
  readonly now: number
}

const turnAway = <Why extends GateError | ServerError>(error: Why, by: Caller | undefined) => Effect.fail({ error, by })
