import { ByteSize, Effect, Result } from "effect"
import { FindMyWay, HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { Answer } from "../../contract/envelope.ts"
import { type BadRequest, NotFound, type Unauthenticated } from "../../contract/errors.ts"
import { type GivenKey, KEY_HEADER } from "../../contract/idempotency-key.ts"
import { type Input, type ReceivedInput, toReceivedInput } from "../../contract/input.ts"
import { METHODS, needsToken, type RouteSpec, routeOf } from "../../contract/operation.ts"
import { BODY_BYTES, IMAGE_BODY_BYTES, OAUTH_BODY_BYTES } from "../../platform/limits.ts"
import { operations } from "../../service/Api.ts"
import { Service } from "../../service/service.ts"
import { bodyText, formFields, hasBody, isJson, jsonFields, notJson, receiveBody } from "../http/body.ts"
import { callerAddress } from "../http/caller-address.ts"
import { NO_STORE } from "../http/no-store.ts"
import { REST_PREFIX } from "../http/rest-prefix.ts"
import { partsOfTarget } from "../http/target.ts"
import { preflight } from "../oauth/cross-origin.ts"
import { isOpenPath, openResponse } from "../oauth/open-paths.ts"
import { receiveOpenRequest } from "../oauth/read-request.ts"

type Response = HttpServerResponse.HttpServerResponse

/** An answer as HTTP carries it: always status 200, the result in the body (specification, Response envelope). */
export const toResponse = (answer: Answer): Response =>
  HttpServerResponse.text(JSON.stringify(answer.envelope), {
    contentType: "application/json",
    headers: { ...NO_STORE, ...answer.headers, "x-request-id": answer.envelope.request_id }
  })

/** An answer below `/v3`: where no token is needed, with the fields of the standards beside the envelope. */
export const restResponse = (answer: Answer, request: HttpServerRequest): Response => {
  const [path] = partsOfTarget(request.url)
  return isOpenPath(path) ? openResponse(answer, request, path) : toResponse(answer)
}

interface Served {
  readonly name: string
  readonly route: RouteSpec
  readonly maxBody: ByteSize.ByteSize
  /** It needs no token, and is read as the standards have it. */
  readonly isOpen: boolean
}

const maxBodyOf = ({ body }: RouteSpec, isOpen: boolean): ByteSize.ByteSize => {
  if (isOpen) return ByteSize.bytes(OAUTH_BODY_BYTES)
  return ByteSize.bytes(body === "image" ? IMAGE_BODY_BYTES : BODY_BYTES)
}

/** The REST door: finds the operation of a request and hands it to the Service. */
export const makeRest = Effect.fnUntraced(function* ({ trustProxy }: { readonly trustProxy: boolean }) {
  const service = yield* Service
  const router = FindMyWay.make<Served>()
  for (const operation of operations) {
    const [route, isOpen] = [routeOf(operation), !needsToken(operation)]
    const served = { name: operation._tag, route, maxBody: maxBodyOf(route, isOpen), isOpen }
    router.on(route.method, pathPattern(route.path), served)
  }

  const methodsOf = (path: string) => METHODS.filter((method) => router.find(method, path) !== undefined)

  return (request: HttpServerRequest): Effect.Effect<Response> => {
    const [path, query] = partsOfTarget(request.url)
    if (request.method === "OPTIONS" && isOpenPath(path)) return Effect.succeed(preflight(methodsOf(path).join(", ")))
    const found = router.find(request.method, path)
    const answer =
      found === undefined
        ? service.refuse(noSuchRoute(request.method, path, methodsOf(path)), { door: "rest", headers: request.headers })
        : service.call(found.handler.name, {
            door: "rest",
            address: found.handler.isOpen ? callerAddress(request, trustProxy) : undefined,
            headers: request.headers,
            params: found.params,
            key: keyIn(request.headers),
            receive: receiveInput(request, found.handler, query)
          })
    return Effect.map(answer, (answered) => restResponse(answered, request))
  }
})

const keyIn = (headers: HttpServerRequest["headers"]): GivenKey | undefined => {
  const value = headers[KEY_HEADER.toLowerCase()]
  return value === undefined ? undefined : { field: KEY_HEADER, value }
}

const pathPattern = (path: string): `/${string}` => `${REST_PREFIX}${path.replace(/\{([a-z_]+)\}/g, ":$1")}` as const

/** `taken`: the methods that the path has. */
const noSuchRoute = (method: string, path: string, taken: ReadonlyArray<string>) => {
  const instead = taken.length === 0 ? "" : `; this path takes ${taken.join(" and ")}`
  return new NotFound({ message: `No such route: ${method} ${path.slice(0, 200)}${instead}` })
}

const receiveInput = (
  request: HttpServerRequest,
  served: Served,
  query: string
): Effect.Effect<ReceivedInput, BadRequest | Unauthenticated> => {
  if (served.isOpen) return receiveOpenRequest(request, served.maxBody)
  const { method } = served.route
  const reads = method === "GET" || (method === "DELETE" && !hasBody(request))
  if (reads) return Effect.succeed({ parse: Effect.suspend(() => Effect.fromResult(parseQuery(query))) })
  return hasBody(request) ? receiveJson(request, served.maxBody) : WITHOUT_FIELDS
}

const WITHOUT_FIELDS = Effect.succeed(toReceivedInput({ encoding: "body", fields: {} }))

const parseQuery = (query: string): Result.Result<Input, BadRequest> =>
  Result.map(formFields(query), (fields) => ({ encoding: "text", fields }))

const receiveJson = (
  request: HttpServerRequest,
  maxBody: ByteSize.ByteSize
): Effect.Effect<ReceivedInput, BadRequest> =>
  isJson(request.headers["content-type"])
    ? Effect.map(receiveBody(request, maxBody), (body) => ({
        bytes: body.length,
        parse: Effect.suspend(() => Effect.fromResult(parseJsonBody(body)))
      }))
    : Effect.fail(notJson)

const parseJsonBody = (body: Uint8Array): Result.Result<Input, BadRequest> =>
  Result.map(Result.flatMap(bodyText(body), jsonFields), (fields) => ({ encoding: "body", fields }))
