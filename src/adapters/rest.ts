import { ByteSize, Effect, Result } from "effect"
import { FindMyWay, type HttpServerError, HttpServerResponse } from "effect/http"
import { MaxBodySize } from "effect/http/HttpIncomingMessage"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import { operations } from "../Api.ts"
import type { Answer } from "../contract/envelope.ts"
import { BadRequest, NotFound } from "../contract/errors.ts"
import { type GivenKey, KEY_HEADER } from "../contract/idempotency-key.ts"
import type { Input } from "../contract/input.ts"
import { parseJson } from "../contract/json-text.ts"
import { METHODS, type RouteSpec, routeOf } from "../contract/operation.ts"
import { toldName } from "../contract/told-name.ts"
import { textOf } from "../contract/utf8.ts"
import { BODY_BYTES, IMAGE_BODY_BYTES } from "../limits.ts"
import { Service } from "../service.ts"
import { NO_STORE } from "./no-store.ts"

/** Below which path REST lives (specification, Versioning). */
export const REST_PREFIX = "/v3"

/** An answer as HTTP carries it: always status 200, the result in the body (specification, Response envelope). */
export const toResponse = (answer: Answer): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.text(JSON.stringify(answer.envelope), {
    contentType: "application/json",
    headers: { ...NO_STORE, ...answer.headers, "x-request-id": answer.envelope.request_id }
  })

interface Served {
  readonly name: string
  readonly route: RouteSpec
  readonly maxBody: ByteSize.ByteSize
}

/** The REST door: finds the operation of a request and hands it to the Service. */
export const makeRest = Effect.gen(function* () {
  const service = yield* Service
  const router = FindMyWay.make<Served>()
  for (const operation of operations) {
    const route = routeOf(operation)
    router.on(route.method, pathPattern(route.path), {
      name: operation._tag,
      route,
      maxBody: ByteSize.bytes(route.body === "image" ? IMAGE_BODY_BYTES : BODY_BYTES)
    })
  }

  const methodsOf = (path: string) => METHODS.filter((method) => router.find(method, path) !== undefined)

  return (request: HttpServerRequest): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
    const [path = "/", query = ""] = splitOnce(request.url, "?")
    const found = router.find(request.method, path)
    const answer =
      found === undefined
        ? service.refuse(noSuchRoute(request.method, path, methodsOf(path)), { door: "rest", headers: request.headers })
        : service.call(found.handler.name, {
            door: "rest",
            headers: request.headers,
            params: found.params,
            key: keyIn(request.headers),
            read: readInput(request, found.handler, query)
          })
    return Effect.map(answer, toResponse)
  }
})

const keyIn = (headers: HttpServerRequest["headers"]): GivenKey | undefined => {
  const value = headers[KEY_HEADER.toLowerCase()]
  return value === undefined ? undefined : { field: KEY_HEADER, value }
}

const pathPattern = (path: string): `/${string}` => `${REST_PREFIX}${path.replace(/\{([a-z_]+)\}/g, ":$1")}` as const

const splitOnce = (text: string, mark: string): readonly [string, string] => {
  const at = text.indexOf(mark)
  return at === -1 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)]
}

/** `taken`: the methods that the path has. */
const noSuchRoute = (method: string, path: string, taken: ReadonlyArray<string>) => {
  const instead = taken.length === 0 ? "" : `; this path takes ${taken.join(" and ")}`
  return new NotFound({ message: `No such route: ${method} ${path.slice(0, 200)}${instead}` })
}

const hasBody = (request: HttpServerRequest): boolean =>
  request.headers["transfer-encoding"] !== undefined || Number(request.headers["content-length"] ?? 0) > 0

const readInput = (request: HttpServerRequest, served: Served, query: string): Effect.Effect<Input, BadRequest> => {
  const { method } = served.route
  const reads = method === "GET" || (method === "DELETE" && !hasBody(request))
  return reads ? readQuery(query) : readBody(request, served.maxBody)
}

/** Query parameters by name; a name given twice says two things, so neither is believed. */
const readQuery = (query: string): Effect.Effect<Input, BadRequest> => {
  const fields: Record<string, string> = {}
  // Bytes that are no text are read as U+FFFD: to the decoder they are what half a character is elsewhere.
  const asSent = (value: string) => (value.includes("\ufffd") && !/%EF%BF%BD/i.test(query) ? HALF_A_CHARACTER : value)
  for (const [name, value] of new URLSearchParams(query)) {
    if (Object.hasOwn(fields, name))
      return Effect.fail(new BadRequest({ message: `${toldName(name)}: is given twice.` }))
    fields[name] = asSent(value)
  }
  return Effect.succeed({ encoding: "text", fields })
}

const HALF_A_CHARACTER = "\ud83d"

const readBody = Effect.fnUntraced(function* (
  request: HttpServerRequest,
  maxBody: ByteSize.ByteSize
): Effect.fn.Return<Input, BadRequest> {
  if (!hasBody(request)) return { encoding: "body", fields: {} }
  const type = request.headers["content-type"]
  if (type !== undefined && !/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type)) {
    return yield* new BadRequest({ message: "The body must be JSON: send Content-Type: application/json." })
  }
  const most = ByteSize.toNumberUnsafe(maxBody)
  const tooLarge = new BadRequest({ message: `The body must not be larger than ${most} bytes.` })
  if (Number(request.headers["content-length"] ?? 0) > most) return yield* tooLarge
  const body = yield* request.arrayBuffer.pipe(
    Effect.provideService(MaxBodySize, maxBody),
    Effect.mapError((error) =>
      isTooLarge(error) ? tooLarge : new BadRequest({ message: "The body could not be read." })
    )
  )
  return yield* Result.match(Result.flatMap(textOf(new Uint8Array(body)), fieldsIn), {
    onFailure: (why) => Effect.fail(new BadRequest({ message: `The body ${why}.` })),
    onSuccess: (fields): Effect.Effect<Input> => Effect.succeed({ encoding: "body", fields, bytes: body.byteLength })
  })
})

/** An empty body has no fields. */
const fieldsIn = (text: string): Result.Result<unknown, string> =>
  text.trim() === "" ? Result.succeed({}) : parseJson(text)

const isTooLarge = (error: HttpServerError.HttpServerError): boolean =>
  error.reason._tag === "RequestParseError" && error.reason.reason === "BodyTooLarge"
