import { Context, Effect, Layer, Option } from "effect"
import type { Caller, GateError, TrustedAccount } from "../../contract/caller.ts"
import { RateLimited, type ServerError } from "../../contract/errors.ts"
import type { CallLimits } from "../../contract/operation.ts"
import { Deployment, type DeploymentName } from "../../platform/installation.ts"
import { withChildSpan } from "../../platform/telemetry/spans.ts"
import { countsAsInvalid, countsAsUnsent } from "../windows/call-buckets.ts"
import { RateWindows } from "../windows/RateWindows.ts"
import { rateLimitHeaders, rateLimitMessage } from "../windows/rate-limit-response.ts"
import { makeBucketCache } from "./bucket-cache.ts"
import { readToken } from "./credentials.ts"
import { type StoredToken, TOKEN_TRUSTED_MS, Tokens } from "./Tokens.ts"
import { TokenUseRecorder } from "./TokenUseRecorder.ts"
import { accessError, invalidTokenError, isInvalidToken } from "./token-access.ts"

type Headers = Readonly<Record<string, string | undefined>>

/** What the Gate looks at of a call. */
export interface GateRequest {
  /** Method and path template below /v3, or `unmatched`. */
  readonly route: string
  /** Whether it changes nothing. */
  readonly isRead: boolean
  /** The route's own limits, where they are not the ordinary ones. */
  readonly limits?: CallLimits | undefined
  /** Of a message: the conversation it goes to, which has windows of its own. */
  readonly conversationId?: string | undefined
  readonly headers: Headers
  /** What keeps every call of an operator out at this moment, beside what it is entitled to: a call refused with it counts in no window. */
  readonly overloadError?: (operatorId: number) => ServerError | undefined
  /** An account that the transport has authenticated, instead of a token. Its calls count in no rate-limit window. */
  readonly trustedAccount?: TrustedAccount | undefined
  /** Whether a suspended operator may make the call too, because it only stops something or takes access away. */
  readonly worksWhenSuspended?: boolean
}

/** A call that was let in. */
export interface AdmittedCall {
  readonly caller: Caller
  /** Rate-limit fields of the answer. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * To be run with the error_code of an answer that is one: a call that could not succeed as sent counts towards layer 4, and a
   * message that was refused for what it is counts in no window of its conversation.
   */
  readonly countFailure: (errorCode: number) => Effect.Effect<void>
  /** To be run when nothing was done for it, for want of a place: it counts in no window. */
  readonly uncountCall: Effect.Effect<void>
  /** To be run when it succeeded and sent nothing, since another call had: it counts in no window of its conversation either. */
  readonly uncountMessage: Effect.Effect<void>
  /**
   * To be run before an answer that may have taken long is given: fails as `admit` would when the token, its account or the
   * subscription has ended since. Counts in no window, and asks nothing in the first {@link TOKEN_TRUSTED_MS}.
   */
  readonly recheckAccess: Effect.Effect<void, GateError>
}

/** A call that was not let in. */
export interface RejectedCall {
  readonly error: GateError | ServerError
  /** Whose token it came with, also where that works no longer; undefined: it never was one. */
  readonly caller: Caller | undefined
}

/** One that was not for what it came with. */
interface UnauthorizedCall extends RejectedCall {
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
    readonly admit: (request: GateRequest) => Effect.Effect<AdmittedCall, RejectedCall>
    /** Returns the caller of the token in these headers, also for a banned or lapsed account. Undefined if the token is invalid. */
    readonly findCaller: (headers: Headers) => Effect.Effect<Caller | undefined>
  }
>()("latchkey/admission/gate/Gate") {
  static readonly layer = Layer.effect(
    Gate,
    Effect.gen(function* () {
      const tokens = yield* Tokens
      const windows = yield* RateWindows
      const deployment = yield* Deployment
      const recordUse = yield* TokenUseRecorder

      const buckets = makeBucketCache()

      const authenticate = makeAuthenticate(tokens, deployment)

      const authorize = ({ headers, isRead }: GateRequest): Effect.Effect<AuthorizedToken, UnauthorizedCall> =>
        Effect.flatMap(authenticate(headers), (token) =>
          Effect.clockWith((clock) => {
            const now = clock.currentTimeMillisUnsafe()
            const error = accessError(token, { isRead, now })
            return Option.isSome(error) ? reject(error.value, token) : Effect.succeed({ token, now })
          })
        )

      const recheckAccess = (request: GateRequest, startedAt: number): Effect.Effect<void, GateError> =>
        Effect.clockWith((clock) =>
          clock.currentTimeMillisUnsafe() - startedAt < TOKEN_TRUSTED_MS
            ? Effect.void
            : Effect.mapError(Effect.asVoid(authorize(request)), ({ error }) => error)
        )

      const rateLimit = (
        request: GateRequest,
        { token, now }: AuthorizedToken
      ): Effect.Effect<AdmittedCall, RejectedCall> => {
        recordUse(token, now)
        const overload = request.overloadError?.(token.operatorId)
        if (overload !== undefined) return reject(overload, token)
        const { call, conversation, invalid } = buckets.get(token, request)
        return Effect.flatMap(windows.admit(call, invalid), (admission) => {
          const headers = rateLimitHeaders(admission)
          if (admission._tag === "Refused") {
            return reject(new RateLimited({ message: rateLimitMessage(admission), headers }), token)
          }
          const uncountMessage = conversation.length === 0 ? Effect.void : windows.giveBack(conversation, admission.at)
          return Effect.succeed({
            caller: token,
            headers,
            countFailure: (errorCode: number) =>
              Effect.andThen(
                countsAsInvalid(errorCode) ? windows.count(invalid) : Effect.void,
                countsAsUnsent(errorCode) ? uncountMessage : Effect.void
              ),
            uncountCall: windows.giveBack(call, admission.at),
            uncountMessage,
            recheckAccess: recheckAccess(request, now)
          })
        })
      }

      const inGateSpan = withChildSpan("gate")
      return Gate.of({
        admit: (request) =>
          request.trustedAccount === undefined
            ? inGateSpan(Effect.flatMap(authorize(request), (authorized) => rateLimit(request, authorized)))
            : admitTrustedAccount(request.trustedAccount, request),
        findCaller: (headers) => Effect.orElseSucceed(authenticate(headers), () => undefined)
      })
    })
  )
}

/** Whose token came with a call, if it works here and now. */
const makeAuthenticate =
  (tokens: Tokens["Service"], deployment: DeploymentName) =>
  (headers: Headers): Effect.Effect<StoredToken, UnauthorizedCall> => {
    const token = readToken(headers)
    if (token === undefined) return reject(invalidTokenError(), undefined)
    return Effect.flatMap(tokens.lookup(token), (storedToken) =>
      Effect.clockWith((clock) =>
        storedToken === undefined || isInvalidToken(storedToken, { now: clock.currentTimeMillisUnsafe(), deployment })
          ? reject(invalidTokenError(), storedToken)
          : Effect.succeed(storedToken)
      )
    )
  }

/** Lets in who is signed in, as far as the account may do anything. */
const admitTrustedAccount = (
  person: TrustedAccount,
  { isRead, worksWhenSuspended }: Pick<GateRequest, "isRead" | "worksWhenSuspended">
): Effect.Effect<AdmittedCall, RejectedCall> =>
  Effect.clockWith((clock) => {
    const account = { ...person.caller, status: person.status, subscriptionUntil: person.subscriptionUntil }
    const error =
      worksWhenSuspended === true
        ? Option.none()
        : accessError(account, { isRead, now: clock.currentTimeMillisUnsafe() })
    return Option.isSome(error)
      ? reject(error.value, person.caller)
      : Effect.succeed({
          caller: person.caller,
          headers: {},
          countFailure: () => Effect.void,
          uncountCall: Effect.void,
          uncountMessage: Effect.void,
          recheckAccess: Effect.void
        })
  })

/** A token that may be used for what is asked, and when that was seen. */
interface AuthorizedToken {
  readonly token: StoredToken
  readonly now: number
}

const reject = <E extends GateError | ServerError>(error: E, caller: Caller | undefined) =>
  Effect.fail({ error, caller })
