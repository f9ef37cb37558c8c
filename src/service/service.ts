import { Cause, Clock, Context, Effect, Exit, identity, Layer, Option, type Schema, Struct } from "effect"
import { foundNoPlace, Places, StrangerPlaces } from "../admission/concurrency/Places.ts"
import { approachOf } from "../admission/gate/approach.ts"
import { Gate, type LetIn, type TurnedAway } from "../admission/gate/Gate.ts"
import { TurnedAwayLately } from "../admission/gate/turned-away-lately.ts"
import { UNMATCHED } from "../admission/windows/limit-table.ts"
import { Keys } from "../changes/Keys.ts"
import { type Answered, once } from "../changes/once.ts"
import { Refusals } from "../changes/Refusals.ts"
import { Acting, type Actor, byItself } from "../contract/acting.ts"
import { type Caller, CurrentOperator, type Person } from "../contract/caller.ts"
import { CallerAddress, strangerAt } from "../contract/caller-address.ts"
import { type Answer, failed, newRequestId, succeeded } from "../contract/envelope.ts"
import {
  type ApiError,
  type BadRequest,
  errorCode,
  NotFound,
  ServerError,
  type Unauthenticated
} from "../contract/errors.ts"
import { type GivenKey, keyOf, REPLAYED } from "../contract/idempotency-key.ts"
import type { ReceivedInput } from "../contract/input.ts"
import { isChange, needsToken } from "../contract/operation.ts"
import { type Asked, type Reader, reader } from "../domain/handled.ts"
import { WakeUp } from "../jobs/WakeUp.ts"
import { tookTooLong } from "../platform/database/took-too-long.ts"
import { tellTrouble, troubleOf } from "../platform/database/trouble.ts"
import { Writing, wasReadOnly } from "../platform/database/Writing.ts"
import { BUSY_RETRY_SECONDS } from "../platform/limits.ts"
import { type CallSeen, measuringCalls } from "../platform/telemetry/metrics/calls.ts"
import { asRoot, inSpan, record } from "../platform/telemetry/spans.ts"
import { spanNamed } from "../platform/telemetry/traceparent.ts"
import { Api, type ApiOperation, type OperationName } from "./Api.ts"

/** What an adapter hands over of one call. */
export interface Call {
  /** For the log line and the span; the answer never differs by it. */
  readonly door: "rest" | "mcp" | "console"
  /** Who is signed in at the console, in the place of a token; no caller can say so. */
  readonly person?: Person
  /** Where it comes from, as far as that is known: calls without a token are told apart by it. */
  readonly address?: string | undefined
  /** Lower-case names; credentials are read from here by the Gate and go nowhere else. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Path parameters (REST, as text) or all arguments (MCP): known before the rest is read. */
  readonly params: Readonly<Record<string, unknown>>
  /** The idempotency key, where one came with the call; an operation that reads has no use for it. */
  readonly key?: GivenKey | undefined
  /** Receives the rest of the input. Runs after the Gate has admitted the call, so that the body of a rejected call is not received. */
  readonly receive: Effect.Effect<ReceivedInput, BadRequest | Unauthenticated>
}

/**
 * The entry point that REST and MCP share: Gate, receive, permit, parse, decode, handler, encode, log line, span. It never fails: every
 * failure becomes an envelope.
 */
export class Service extends Context.Service<
  Service,
  {
    /** Runs the operation of that name. */
    readonly call: (operation: string, call: Call) => Effect.Effect<Answer>
    /**
     * Returns the response to a request that reached no operation (unknown route, plain HTTP, wrong method). With a valid token it
     * counts in the bucket of unmatched paths, except if it got no permit.
     */
    readonly refuse: (error: ApiError, call: Pick<Call, "door" | "headers">) => Effect.Effect<Answer>
    /** Returns the operator and scope of the credentials, or undefined if they are invalid, for which MCP returns HTTP 401. */
    readonly callerOf: (headers: Call["headers"]) => Effect.Effect<Pick<Caller, "operatorId" | "scope"> | undefined>
    /**
     * The answer of a call that need not be looked at: one with its token was turned away just now since the process is
     * overloaded, and there still is no room. Undefined: it is to be called. A call costs five times as much to refuse, which
     * at five times as many calls as can be served is all there is. It is counted as the other refusals are, and has no log
     * line of its own.
     */
    readonly turnedAwayAgain: (headers: Call["headers"]) => Answer | undefined
  }
>()("latchkey/Service") {
  static readonly layerNoDeps = Layer.effect(
    Service,
    Effect.gen(function* () {
      const gate = yield* Gate
      const [places, strangers] = [yield* Places, yield* StrangerPlaces]
      const keys = yield* Keys
      const refusals = yield* Refusals
      const clock = yield* Clock.Clock
      const { wake } = yield* WakeUp
      const lately = new TurnedAwayLately()
      const runs = new Map<string, Run>()
      const measuring = new Map<string, Watching["measure"]>()
      // Whatever name it was asked for by: names that callers make up are no labels.
      const unmatched: Watching = { refusals, measure: measuringCalls(UNMATCHED) }
      const watching = (name: string): Watching => ({ refusals, measure: measuring.get(name) ?? unmatched.measure })
      for (const name of operationNames) {
        measuring.set(name, measuringCalls(name))
        const [operation, read] = [Api[name], yield* reader(name)]
        const onTheWay = { gate, places, keys, wake, lately }
        const run = needsToken(operation)
          ? runOf(operation, read, onTheWay)
          : openRunOf(operation, read, { places: strangers, wake })
        runs.set(name, run)
      }

      return Service.of({
        call: (name, call) => {
          const run = runs.get(name)
          return answered(watching(name), name, call, (requestId) =>
            run === undefined ? Effect.succeed(noSuchOperation) : run(call, requestId)
          )
        },
        refuse: (error, call) => answered(unmatched, UNMATCHED, call, () => refusal(gate, error, call.headers)),
        callerOf: gate.callerOf,
        turnedAwayAgain: (headers) => {
          const caller = lately.of(headers, clock.currentTimeMillisUnsafe())
          const error = caller && places.refusal(caller.operatorId)
          if (error === undefined) return undefined
          const envelope = failed(newRequestId(clock.currentTimeMillisUnsafe()), error)
          return { envelope, headers: headersOf(error), error }
        }
      })
    })
  )

  static readonly layer = Layer.provide(this.layerNoDeps, StrangerPlaces.layer)
}

// The type asks for the reader of each, so a family without its layer does not compile.
const operationNames: ReadonlyArray<OperationName> = Struct.keys(Api)

/** What became of a call, and the headers that go with its answer. */
interface Outcome {
  readonly exit: Exit.Exit<Schema.Json, ApiError>
  readonly headers: Answer["headers"]
  /** Who called, as far as it is known. */
  readonly by: Caller | undefined
}

const noSuchOperation: Outcome = {
  exit: Exit.fail(new NotFound({ message: "No such operation." })),
  headers: {},
  by: undefined
}

const headersOf = (error: ApiError): Answer["headers"] => {
  if (error._tag === "RateLimited") return error.headers
  return "retryAfter" in error && error.retryAfter !== undefined ? { "retry-after": String(error.retryAfter) } : {}
}

/** What a call is, from its request id on, which the trail tells too. */
type Run = (call: Call, requestId: string) => Effect.Effect<Outcome>

/** What every call passes beside its operation's own handler. */
interface OnTheWay {
  readonly gate: Gate["Service"]
  readonly places: Places["Service"]
  readonly keys: Keys["Service"]
  readonly wake: Effect.Effect<void>
  readonly lately: TurnedAwayLately
}

/**
 * Wakes the workers, unless the change was refused and so changed nothing. Any other may have been committed, also when
 * its caller hung up in between.
 */
const afterChange =
  (wake: Effect.Effect<void>) =>
  <A, R>(change: Effect.Effect<A, ApiError, R>): Effect.Effect<A, ApiError, R> =>
    Effect.onExit(change, (exit) => (Option.isSome(Exit.findErrorOption(exit)) ? Effect.void : wake))

/** Refuses a change before it begins while the database only reads. */
const unlessReadOnly = <A, R>(change: Effect.Effect<A, ApiError, R>): Effect.Effect<A, ApiError, R> =>
  Effect.flatMap(Writing, ({ refusal }): Effect.Effect<A, ApiError, R> => {
    const message = refusal()
    return message === undefined ? change : new ServerError({ message, retryAfter: BUSY_RETRY_SECONDS })
  })

/**
 * Returns the steps of a call to one operation: Gate, key, receive, permit, parse, decode, handler, encode. They are plain functions,
 * because a generator would be created for each call.
 */
const runOf = (operation: ApiOperation, read: Reader, { gate, places, keys, wake, lately }: OnTheWay): Run => {
  const approach = approachOf(operation)
  const waking = isChange(operation) ? afterChange(wake) : identity
  const whenAllowed = isChange(operation) ? unlessReadOnly : identity
  const traced = inSpan("handler", { "latchkey.operation": operation._tag })
  const keyOfCall = (call: Call) =>
    call.key === undefined || !isChange(operation) ? NO_KEY : Effect.fromResult(keyOf(call.key))

  /** The work of a call, and whether its answer is a replay. */
  const worked = (asked: Asked, actor: Actor, operatorId: number, given: string | undefined) => {
    const { answer, change } = asked
    return given === undefined || change === undefined
      ? Effect.map(answer, asNew)
      : once(keys, change, actor, { operatorId, given })
  }

  // The call gets a permit after its input has arrived, so that a slow sender holds none. It gets the permit before parsing, because an
  // invalid input costs as much time as a valid one. It holds the permit until the response is built.
  const handled = (call: Call, { operatorId }: Caller, actor: Actor) =>
    Effect.flatMap(keyOfCall(call), (given) =>
      Effect.flatMap(call.receive, ({ bytes, parse }) => {
        const work = Effect.flatMap(parse, (input) =>
          Effect.flatMap(read(input, call.params), (asked) => traced(waking(worked(asked, actor, operatorId, given))))
        )
        return places.within(operatorId, work, bytes)
      })
    )

  const letIn = (call: Call, requestId: string, entered: LetIn) => {
    const { caller, headers, failedWith, notBegun, sentNothing, stillEntitled } = entered
    const { accountId, tokenName: application } = caller
    const actor: Actor = { accountId, application, operation: operation._tag, requestId, key: undefined }
    const work = whenAllowed(handled(call, caller, actor))
    // What was read is told only to who may still read it. A change is made, and its caller is told so.
    const answer = isChange(operation) ? work : Effect.tap(work, () => stillEntitled)
    return Effect.matchCauseEffect(Effect.updateContext(answer, known(caller, actor)), {
      onSuccess: ({ result, replayed }) => {
        const exit = Exit.succeed(result)
        return replayed
          ? Effect.as(sentNothing, { exit, headers: { ...headers, [REPLAYED]: "true" }, by: caller })
          : Effect.succeed<Outcome>({ exit, headers, by: caller })
      },
      onFailure: (cause) => {
        const outcome: Outcome = { exit: Exit.failCause(cause), headers, by: caller }
        const error = Cause.findErrorOption(cause)
        if (Option.isSome(error) && foundNoPlace(error.value)) return Effect.as(notBegun, { ...outcome, headers: {} })
        return Option.isSome(error) ? Effect.as(failedWith(errorCode(error.value)), outcome) : Effect.succeed(outcome)
      }
    })
  }

  return (call, requestId) =>
    Effect.matchCauseEffect(gate.enter({ ...approach(call), noRoom: places.refusal }), {
      onSuccess: (entered) => letIn(call, requestId, entered),
      onFailure: (cause) => {
        const outcome = turnedAway(cause)
        const full =
          outcome.by !== undefined && foundNoPlace(Option.getOrUndefined(Cause.findErrorOption(cause))?.error)
        return full ? Effect.as(noted(lately, call, outcome.by), outcome) : Effect.succeed(outcome)
      }
    })
}

const noted = (lately: TurnedAwayLately, { headers }: Call, by: Caller): Effect.Effect<void> =>
  Effect.clockWith((clock) => Effect.sync(() => lately.note(headers, by, clock.currentTimeMillisUnsafe())))

/**
 * Returns the steps of a call to an operation that needs no token: availability, receive, permit, parse, decode, handler, encode. An
 * idempotency key is ignored, because a key belongs to an operator and the call has none.
 */
const openRunOf = (operation: ApiOperation, read: Reader, { places, wake }: Pick<OnTheWay, "places" | "wake">): Run => {
  const waking = isChange(operation) ? afterChange(wake) : identity
  const whenAllowed = isChange(operation) ? unlessReadOnly : identity
  const traced = inSpan("handler", { "latchkey.operation": operation._tag })
  return (call, requestId) => {
    const actor: Actor = { ...byItself("Latchkey", operation._tag), requestId }
    const received = Effect.andThen(read.admit ?? Effect.void, call.receive)
    const answer = whenAllowed(
      Effect.flatMap(received, ({ bytes, parse }) => {
        const work = Effect.flatMap(parse, (input) =>
          Effect.flatMap(read(input, call.params), ({ open }) =>
            open === undefined
              ? Effect.die(new Error(`${operation._tag} has no handler for calls without a token`))
              : traced(waking(open))
          )
        )
        return places.within(strangerAt(call.address), work, bytes)
      })
    )
    const known = Effect.provideService(Effect.provideService(answer, Acting, actor), CallerAddress, call.address)
    return Effect.map(Effect.exit(known), (exit) => ({
      exit,
      headers: {},
      by: undefined
    }))
  }
}

const NO_KEY: Effect.Effect<string | undefined> = Effect.undefined

const asNew = (result: Schema.Json): Answered => ({ result, replayed: false })

const turnedAway = (cause: Cause.Cause<TurnedAway>): Outcome => ({
  exit: Exit.failCause(Cause.map(cause, ({ error }) => error)),
  headers: {},
  by: Option.getOrUndefined(Cause.findErrorOption(cause))?.by
})

/** Two layers upon the context there is: a context of the two would be merged into it by copying all of it. */
const known =
  (caller: Caller, actor: Actor) =>
  (context: Context.Context<never>): Context.Context<CurrentOperator | Acting> =>
    Context.add(Context.add(context, CurrentOperator, caller), Acting, actor)

/**
 * Returns the outcome of a request that reached no operation: its error, or 429 if the caller exhausted the rate-limit windows of
 * unmatched paths. A request that got no permit does not count in those windows.
 */
const refusal = Effect.fnUntraced(function* (
  gate: Gate["Service"],
  error: ApiError,
  headers: Call["headers"]
): Effect.fn.Return<Outcome> {
  if (foundNoPlace(error)) return { exit: Exit.fail(error), headers: {}, by: yield* gate.callerOf(headers) }
  const entered = yield* Effect.exit(gate.enter({ route: UNMATCHED, read: true, headers }))
  if (Exit.isSuccess(entered)) {
    yield* entered.value.failedWith(errorCode(error))
    return { exit: Exit.fail(error), headers: entered.value.headers, by: entered.value.caller }
  }
  const turned = Option.getOrUndefined(Exit.findErrorOption(entered))
  const limited = turned?.error._tag === "RateLimited" ? turned.error : undefined
  return { exit: Exit.fail(limited ?? error), headers: {}, by: turned?.by }
})

/** Who is told of a call that is over. */
interface Watching {
  readonly refusals: Refusals["Service"]
  readonly measure: (seen: CallSeen) => Effect.Effect<void>
}

/** Turns what became of a call into its answer, with the request's span, its one log line and its counts. */
const answered = (
  { refusals, measure }: Watching,
  operation: string,
  call: Pick<Call, "door" | "headers">,
  run: (requestId: string) => Effect.Effect<Outcome>
): Effect.Effect<Answer> =>
  Effect.clockWith((clock) => {
    const startedAt = clock.currentTimeMillisUnsafe()
    const asked: AskedFor = {
      requestId: newRequestId(startedAt),
      operation,
      door: call.door,
      startedAt,
      clock,
      measure
    }
    const answer = Effect.flatMap(run(asked.requestId), (outcome) =>
      Exit.isSuccess(outcome.exit)
        ? logged(asked, { envelope: succeeded(asked.requestId, outcome.exit.value), headers: outcome.headers })
        : Effect.flatMap(refused(asked, outcome, outcome.exit.cause), (answer) =>
            Effect.andThen(
              refusals.call({ by: outcome.by, operation, errorCode: answer.envelope.error_code }),
              logged(asked, answer)
            )
          )
    )
    return asRoot(
      { name: "request", kind: "server", parent: spanNamed(call.headers["traceparent"]), ...spanOf(asked) },
      answer
    )
  })

/** What is known of a call before it is let in. */
interface AskedFor {
  readonly requestId: string
  readonly operation: string
  readonly door: Call["door"]
  readonly startedAt: number
  readonly clock: Clock.Clock
  readonly measure: Watching["measure"]
}

const ERROR_CODE = "latchkey.error_code"

/** What failed on our side is told to a collector whichever traces it is sent. */
const spanOf = ({ operation, requestId, door }: AskedFor) => ({
  attributes: () => ({ "latchkey.operation": operation, "latchkey.request_id": requestId, "latchkey.door": door }),
  told: (exit: Exit.Exit<Answer>) =>
    Exit.isSuccess(exit) && exit.value.envelope.error_code >= OUR_SIDE
      ? { [ERROR_CODE]: exit.value.envelope.error_code }
      : undefined
})

/** Codes from here on are no fault of the caller's (specification, Errors). */
const OUR_SIDE = 500

/** The answer of a call that came to nothing. */
const refused = (
  { requestId, operation }: AskedFor,
  { headers }: Outcome,
  cause: Cause.Cause<ApiError>
): Effect.Effect<Answer> => {
  const answerOf = (error: ApiError): Answer => ({
    envelope: failed(requestId, error),
    headers: { ...headers, ...headersOf(error) },
    error
  })
  const error = Cause.findErrorOption(cause)
  if (Option.isSome(error)) return Effect.succeed(answerOf(error.value))
  // The caller hung up: nobody is left to answer.
  if (Cause.hasInterruptsOnly(cause)) return Effect.interrupt
  if (wasReadOnly(cause)) return Effect.succeed(answerOf(readOnly))
  const trouble = troubleOf(cause)
  if (trouble !== undefined) return Effect.as(tellTrouble(trouble), answerOf(databaseTrouble))
  const slow = tookTooLong(cause)
  const said = slow ? Effect.logWarning("a statement took too long", cause) : Effect.logError("defect", cause)
  return Effect.as(Effect.annotateLogs(said, { request_id: requestId, operation }), answerOf(slow ? outOfTime : defect))
}

const outOfTime = new ServerError({
  message: "This call took too long and was stopped. The part that was stopped changed nothing; retry the call.",
  retryAfter: BUSY_RETRY_SECONDS
})
const readOnly = new ServerError({
  message: "The service is read-only at the moment. Nothing was changed; try again later.",
  retryAfter: BUSY_RETRY_SECONDS
})
const databaseTrouble = new ServerError({
  message:
    "The service cannot reach its database, or cannot write to it. Retry later; with an Idempotency-Key the change is made only once.",
  retryAfter: BUSY_RETRY_SECONDS
})
const defect = new ServerError({ message: "Something went wrong on our side. Quote the request_id." })

/** Refusals that the service words by itself alone: of the credentials, the subscription, the windows. */
const OWN_WORDS: ReadonlySet<number> = new Set([401, 420, 429])

/** What is wrong with a call is told in the caller's own words, which may be a guest's name: to the caller, and no log. */
const isOfCall = (errorCode: number): boolean => errorCode < OUR_SIDE && !OWN_WORDS.has(errorCode)

const logged = (asked: AskedFor, answer: Answer): Effect.Effect<Answer> => {
  const { operation, door, startedAt, clock, measure } = asked
  const { request_id, error_code, error_msg } = answer.envelope
  const ms = clock.currentTimeMillisUnsafe() - startedAt
  const fields = { request_id, door, operation, error_code, ms }
  const line = Effect.logInfo("request", isOfCall(error_code) ? fields : { ...fields, error_msg })
  const seen = Effect.andThen(record(ERROR_CODE, error_code), measure({ door, errorCode: error_code, ms }))
  return Effect.as(Effect.andThen(seen, line), answer)
}
