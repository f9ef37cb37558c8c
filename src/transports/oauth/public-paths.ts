import { FindMyWay } from "effect/http"
import type { ServiceResponse } from "../../contract/envelope.ts"
import type { OAuthErrorCode } from "../../contract/errors.ts"
import { type AnyOperation, needsToken, routeOf, usesHttpStatus } from "../../contract/operation.ts"
import { operations } from "../../service/Api.ts"
import { type ApiRequest, type ApiResponse, withHeaders } from "../http/api-http.ts"
import { REST_PREFIX } from "../http/paths.ts"
import { ANY_ORIGIN } from "./cross-origin.ts"
import { toOauthResponse, toResponseFormat } from "./oauth-response.ts"

interface PublicPath {
  /** For a request that cannot be parsed (RFC 7591 3.2.2). */
  readonly invalidRequestError: OAuthErrorCode
  readonly usesStatus: boolean
}

const DEFAULT_PUBLIC_PATH: PublicPath = { invalidRequestError: "invalid_request", usesStatus: false }

const toPublicPath = (operation: AnyOperation): PublicPath => ({
  invalidRequestError: operation._tag === "create_oauth_registration" ? "invalid_client_metadata" : "invalid_request",
  usesStatus: usesHttpStatus(operation)
})

/** Uses the router library of the REST endpoint, so that both match the same spellings of a path. */
const publicPaths = FindMyWay.make<PublicPath>()
for (const operation of operations.filter((each) => !needsToken(each))) {
  publicPaths.on("POST", `${REST_PREFIX}${routeOf(operation).path}`, toPublicPath(operation))
}

const findPublicPath = (path: string): PublicPath | undefined => publicPaths.find("POST", path)?.handler

export const isPublicPath = (path: string): boolean => findPublicPath(path) !== undefined

export const toPublicPathResponse = (answer: ServiceResponse, request: ApiRequest, path: string): ApiResponse => {
  const { invalidRequestError, usesStatus } = findPublicPath(path) ?? DEFAULT_PUBLIC_PATH
  const responseFormat =
    usesStatus && request.method === "POST" ? "form" : toResponseFormat(request.headers["content-type"])
  return withHeaders(toOauthResponse(answer, responseFormat, invalidRequestError), ANY_ORIGIN)
}
