import { FindMyWay } from "effect/http"
import type { ServiceResponse } from "../../contract/envelope.ts"
import type { OAuthErrorCode } from "../../contract/errors.ts"
import { type AnyOperation, needsToken, routeOf, usesHttpStatus } from "../../contract/operation.ts"
import { operations } from "../../service/Api.ts"
import { type ApiRequest, type ApiResponse, withHeaders } from "../http/api-http.ts"
import { REST_PREFIX } from "../http/paths.ts"
import { ANY_ORIGIN } from "./cross-origin.ts"
import { toOauthResponse, toResponseFormat } from "./oauth-response.ts"

/** How failures of an operation without a token are returned. */
interface PublicPath {
  /** The OAuth error of a request that cannot be parsed (RFC 7591 3.2.2). */
  readonly invalidRequestError: OAuthErrorCode
  /** Whether failures have an HTTP status other than 200 also for a JSON request, which no other path below `/v3` does. */
  readonly usesStatus: boolean
}

const DEFAULT_PUBLIC_PATH: PublicPath = { invalidRequestError: "invalid_request", usesStatus: false }

const toPublicPath = (operation: AnyOperation): PublicPath => ({
  invalidRequestError: operation._tag === "create_oauth_registration" ? "invalid_client_metadata" : "invalid_request",
  usesStatus: usesHttpStatus(operation)
})

/** By a router like the one that finds the operations: whatever spelling of a path leads to one is answered as it is. */
const publicPaths = FindMyWay.make<PublicPath>()
for (const operation of operations.filter((each) => !needsToken(each))) {
  publicPaths.on("POST", `${REST_PREFIX}${routeOf(operation).path}`, toPublicPath(operation))
}

const findPublicPath = (path: string): PublicPath | undefined => publicPaths.find("POST", path)?.handler

/** Whether an operation that needs no token lives at the path. */
export const isPublicPath = (path: string): boolean => findPublicPath(path) !== undefined

/** What is answered at such a path, whatever it was asked. */
export const toPublicPathResponse = (answer: ServiceResponse, request: ApiRequest, path: string): ApiResponse => {
  const { invalidRequestError, usesStatus } = findPublicPath(path) ?? DEFAULT_PUBLIC_PATH
  const responseFormat =
    usesStatus && request.method === "POST" ? "form" : toResponseFormat(request.headers["content-type"])
  return withHeaders(toOauthResponse(answer, responseFormat, invalidRequestError), ANY_ORIGIN)
}
