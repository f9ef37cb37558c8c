import { FindMyWay } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { operations } from "../../Api.ts"
import type { Answer } from "../../contract/envelope.ts"
import type { OAuthError } from "../../contract/errors.ts"
import { type AnyOperation, hasStatus, needsToken, routeOf } from "../../contract/operation.ts"
import { REST_PREFIX } from "../rest-prefix.ts"
import { forAnyOrigin } from "./cross-origin.ts"
import { mannerOf, standardResponse } from "./standard-answer.ts"

/** How the failures of an operation without a token are answered. */
interface OpenPath {
  /** What OAuth calls a request that cannot be read (RFC 7591 3.2.2). */
  readonly unreadable: OAuthError
  /** The one exception to HTTP 200 for JSON below `/v3`. */
  readonly hasStatus: boolean
}

const ORDINARY: OpenPath = { unreadable: "invalid_request", hasStatus: false }

const openPathOf = (operation: AnyOperation): OpenPath => ({
  unreadable: operation._tag === "create_oauth_registration" ? "invalid_client_metadata" : "invalid_request",
  hasStatus: hasStatus(operation)
})

/** By a router like the one that finds the operations: whatever spelling of a path leads to one is answered as it is. */
const openPaths = FindMyWay.make<OpenPath>()
for (const operation of operations.filter((each) => !needsToken(each))) {
  openPaths.on("POST", `${REST_PREFIX}${routeOf(operation).path}`, openPathOf(operation))
}

const openAt = (path: string): OpenPath | undefined => openPaths.find("POST", path)?.handler

/** Whether an operation that needs no token lives at the path. */
export const isOpenPath = (path: string): boolean => openAt(path) !== undefined

/** What is answered at such a path, whatever it was asked. */
export const openResponse = (answer: Answer, request: HttpServerRequest, path: string): HttpServerResponse => {
  const { unreadable, hasStatus: byStatus } = openAt(path) ?? ORDINARY
  const manner = byStatus && request.method === "POST" ? "form" : mannerOf(request.headers["content-type"])
  return forAnyOrigin(standardResponse(answer, manner, unreadable))
}
