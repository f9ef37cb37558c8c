import { Effect, Result } from "effect"
import { FindMyWay } from "effect/http"
import type { ServiceResponse } from "../../contract/envelope.ts"
import { type BadRequest, NotFound, type Unauthenticated } from "../../contract/errors.ts"
import { IDEMPOTENCY_KEY_HEADER, type ReceivedIdempotencyKey } from "../../contract/idempotency-key.ts"
import { type CallInput, type ReceivedInput, toReceivedInput } from "../../contract/input.ts"
import { METHODS, needsToken, type RouteSpec, routeOf } from "../../contract/operation.ts"
import { BODY_BYTES, IMAGE_BODY_BYTES, OAUTH_BODY_BYTES, PATH_PARAMETER_LENGTH } from "../../platform/limits.ts"
import { operations } from "../../service/Api.ts"
import { Service } from "../../service/service.ts"
import { type ApiHandler, type ApiRequest, type ApiResponse, toEnvelopeResponse } from "../http/api-http.ts"
import { callerIpAddress } from "../http/caller-address.ts"
import { REST_PREFIX, splitTarget } from "../http/paths.ts"
import {
  decodeBodyText,
  hasBody,
  isJsonContentType,
  notJsonError,
  parseFormFields,
  parseJsonFields,
  receiveBody
} from "../http/request-body.ts"
import { preflightResponse } from "../oauth/cross-origin.ts"
import { isPublicPath, toPublicPathResponse } from "../oauth/public-paths.ts"
import { receivePublicRequest } from "../oauth/public-request.ts"

export const toRestResponse = (serviceAnswer: ServiceResponse, request: ApiRequest): ApiResponse => {
  const [path] = splitTarget(request.url)
  return isPublicPath(path) ? toPublicPathResponse(serviceAnswer, request, path) : toEnvelopeResponse(serviceAnswer)
}

interface RestRoute {
  readonly name: string
  readonly route: RouteSpec
  readonly maxBody: number
  /** The input of a public route is parsed as the OAuth standards require. */
  readonly isPublic: boolean
}

const maxBodySize = ({ body }: RouteSpec, isPublic: boolean): number => {
  if (isPublic) return OAUTH_BODY_BYTES
  return body === "image" ? IMAGE_BODY_BYTES : BODY_BYTES
}

export const makeRestHandler = Effect.fnUntraced(function* ({
  trustProxy
}: {
  readonly trustProxy: boolean
}): Effect.fn.Return<ApiHandler, never, Service> {
  const service = yield* Service
  const router = FindMyWay.make<RestRoute>({ maxParamLength: PATH_PARAMETER_LENGTH })
  for (const operation of operations) {
    const [route, isPublic] = [routeOf(operation), !needsToken(operation)]
    const restRoute = { name: operation._tag, route, maxBody: maxBodySize(route, isPublic), isPublic }
    router.on(route.method, pathPattern(route.path), restRoute)
  }

  const allowedMethods = (path: string) => METHODS.filter((method) => router.find(method, path) !== undefined)

  return (request) => {
    const [path, query] = splitTarget(request.url)
    if (request.method === "OPTIONS" && isPublicPath(path))
      return Effect.succeed(preflightResponse(allowedMethods(path).join(", ")))
    const match = router.find(request.method, path)
    const serviceAnswer =
      match === undefined
        ? service.respondWithError(makeNoSuchRouteError(request.method, path, allowedMethods(path)), {
            transport: "rest",
            headers: request.headers
          })
        : service.call(match.handler.name, {
            transport: "rest",
            address: match.handler.isPublic ? callerIpAddress(request, trustProxy) : undefined,
            headers: request.headers,
            params: match.params,
            idempotencyKey: readIdempotencyKey(request.headers),
            receive: receiveInput(request, match.handler, query)
          })
    return Effect.map(serviceAnswer, (answer) => toRestResponse(answer, request))
  }
})

const readIdempotencyKey = (headers: ApiRequest["headers"]): ReceivedIdempotencyKey | undefined => {
  const value = headers[IDEMPOTENCY_KEY_HEADER.toLowerCase()]
  return value === undefined ? undefined : { field: IDEMPOTENCY_KEY_HEADER, value }
}

const pathPattern = (path: string): `/${string}` => `${REST_PREFIX}${path.replace(/\{([a-z_]+)\}/g, ":$1")}` as const

const makeNoSuchRouteError = (method: string, path: string, allowedMethods: ReadonlyArray<string>) => {
  const allowedText = allowedMethods.length === 0 ? "" : `; this path takes ${allowedMethods.join(" and ")}`
  return new NotFound({ message: `No such route: ${method} ${path.slice(0, 200)}${allowedText}` })
}

const receiveInput = (
  request: ApiRequest,
  restRoute: RestRoute,
  query: string
): Effect.Effect<ReceivedInput, BadRequest | Unauthenticated> => {
  if (restRoute.isPublic) return receivePublicRequest(request, restRoute.maxBody)
  const { method } = restRoute.route
  const readsQuery = method === "GET" || (method === "DELETE" && !hasBody(request))
  if (readsQuery) return Effect.succeed({ parse: Effect.suspend(() => Effect.fromResult(parseQuery(query))) })
  return hasBody(request) ? receiveJson(request, restRoute.maxBody) : EMPTY_INPUT
}

const EMPTY_INPUT = Effect.succeed(toReceivedInput({ encoding: "body", fields: {} }))

const parseQuery = (query: string): Result.Result<CallInput, BadRequest> =>
  Result.map(parseFormFields(query), (fields) => ({ encoding: "text", fields }))

const receiveJson = (request: ApiRequest, maxBody: number): Effect.Effect<ReceivedInput, BadRequest> =>
  isJsonContentType(request.headers["content-type"])
    ? Effect.map(receiveBody(request, maxBody), (body) => ({
        bytes: body.length,
        parse: Effect.suspend(() => Effect.fromResult(parseJsonBody(body)))
      }))
    : Effect.fail(notJsonError)

const parseJsonBody = (body: Uint8Array): Result.Result<CallInput, BadRequest> =>
  Result.map(Result.flatMap(decodeBodyText(body), parseJsonFields), (fields) => ({ encoding: "body", fields }))
