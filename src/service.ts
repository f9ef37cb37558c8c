import "effect/schema/SchemaJITCompiler/enable"
import { Cause, Clock, Context, Effect, Exit, Layer, Option, Schema } from "effect"
import { Rpc } from "effect/rpc"
import { RequestId } from "effect/rpc/RpcMessage"
import { Headers } from "effect/http"
import { Api, type ApiOperation } from "./Api.ts"
import { type Answer, failed, newRequestId, succeeded } from "./contract/envelope.ts"
import { type ApiError, type BadRequest, NotFound, ServerError } from "./contract/errors.ts"
import { type Input, inputDecoderOf } from "./contract/input.ts"
import { routeOf } from "./contract/operation.ts"
import { Gate } from "./gate/Gate.ts"

/** What an adapter hands over of one call. */
export interface Call {
  /** `rest` or `mcp`: for the log line and the span; the answer never differs by it. */
  readonly door: "rest" | "mcp"
  /** Lower-case names; credentials are read from here by the Gate and go nowhere else. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Path parameters (REST, as text) or all arguments (MCP): known before the rest is read. */
  readonly params: Readonly<Record<string, unknown>>
  /** Reads the rest of the input, after the Gate has let the call in: a body that nobody may send is not parsed. */
  readonly read: Effect.Effect<Input, BadRequest>
}

/**
 * THE entrypoint that both doors share: Gate, decode, handler, encode, log line, span. It never fails: whatever
 * happens is an envelope.
 */
export class Service extends Context.Service<
  Service,
  {
    /** Runs the operation of that name. */
    readonly call: (operation: string, call: Call) => Effect.Effect<Answer>
    /**
     * An answer for what reached no operation (unknown route, plain HTTP, wrong method). With a valid token it counts
     * under the bucket of unmatched paths.
     */
    readonly refuse: (error: ApiError, call: Pick<Call, "door" | "headers">) => Effect.Effect<Answer>
    /** Whether the credentials are good for anything: the MCP endpoint answers HTTP 401 when they are not. */
    readonly knows: (headers: Call["headers"]) => Effect.Effect<boolean>
  }
>()("latchkey/Service") {
  static readonly layer = Layer.effect(
    Service,
    Effect.gen(function* () {
      const gate = yield* Gate
      const runs = new Map<string, (call: Call) => Effect.Effect<Schema.Json, ApiError>>()
      for (const operation of Api.requests.values()) runs.set(operation._tag, yield* runOf(operation, gate))

      return Service.of({
        call: (name, call) => {
          const run = runs.get(name)
          return answered(name, call.door, run === undefined ? Effect.fail(noSuchOperation) : run(call))
        },
        refuse: (error, call) => answered("unmatched", call.door, Effect.fail(error)),
        knows: gate.knows
      })
    })
  )
}

const noSuchOperation = new NotFound({ message: "No such operation." })

// Handlers are called directly, not through an RPC connection; these are what such a connection would have given them.
const DIRECT = { client: new Rpc.ServerClient(0), requestId: RequestId(0), headers: Headers.empty }

/** The way of a call to one operation: Gate, decode, handler, encode. */
const runOf = Effect.fnUntraced(function* (operation: ApiOperation, gate: Gate["Service"]) {
  const handler = yield* Api.accessHandler(operation._tag)
  const decode = inputDecoderOf(operation.payloadSchema, routeOf(operation).params)
  const encode = Schema.encodeUnknownEffect(Schema.toCodecJson(operation.successSchema))
  return (call: Call): Effect.Effect<Schema.Json, ApiError> =>
    gate.pass(
      operation,
      call.headers,
      call.read.pipe(
        Effect.flatMap((input) => decode(input, call.params)),
        Effect.flatMap((payload) =>
          handler(payload, DIRECT).pipe(Effect.withSpan("handler", { attributes: { "latchkey.operation": operation._tag } }))
        ),
        // A result that does not fit its own schema is a defect.
        Effect.flatMap((result) => Effect.orDie(encode(result)))
      )
    )
})

/** Turns what became of a call into its envelope, with the request's span and its one log line. */
const answered = Effect.fnUntraced(function* (
  operation: string,
  door: Call["door"],
  run: Effect.Effect<Schema.Json, ApiError>
): Effect.fn.Return<Answer> {
  const startedAt = yield* Clock.currentTimeMillis
  const requestId = newRequestId(startedAt)
  return yield* run.pipe(
    Effect.exit,
    Effect.flatMap((exit) => settle(requestId, operation, exit)),
    Effect.tap((answer) => logLine(answer, operation, door, startedAt)),
    Effect.withSpan("request", {
      kind: "server",
      attributes: { "latchkey.operation": operation, "latchkey.request_id": requestId, "latchkey.door": door }
    })
  )
})

const settle = Effect.fnUntraced(function* (
  requestId: string,
  operation: string,
  exit: Exit.Exit<Schema.Json, ApiError>
): Effect.fn.Return<Answer> {
  if (Exit.isSuccess(exit)) return { envelope: succeeded(requestId, exit.value), headers: {} }
  const error = Cause.findErrorOption(exit.cause)
  if (Option.isSome(error)) {
    return {
      envelope: failed(requestId, error.value),
      headers: error.value._tag === "RateLimited" ? error.value.headers : {}
    }
  }
  if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
  yield* Effect.logError("defect", exit.cause).pipe(
    Effect.annotateLogs({ request_id: requestId, operation })
  )
  return {
    envelope: failed(requestId, new ServerError({ message: "Something went wrong on our side. Quote the request_id." })),
    headers: {}
  }
})

const logLine = Effect.fnUntraced(function* (answer: Answer, operation: string, door: Call["door"], startedAt: number) {
  const { request_id, error_code, error_msg } = answer.envelope
  yield* Effect.annotateCurrentSpan("latchkey.error_code", error_code)
  const endedAt = yield* Clock.currentTimeMillis
  yield* Effect.logInfo("request").pipe(
    Effect.annotateLogs({ request_id, door, operation, error_code, ...(error_code === 0 ? {} : { error_msg }), ms: endedAt - startedAt })
  )
})
