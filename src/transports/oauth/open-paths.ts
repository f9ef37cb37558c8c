import { FindMyWay } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import type { Answer } from "../../contract/envelope.ts"
import type { OAuthError } from "../../contract/errors.ts"
import { type AnyOperation, hasStatus, needsToken, routeOf } from "../../contract/operation.ts"
import { operations } from "../../service/Api.ts"
import { REST_PREFIX } from "../http/rest-prefix.ts"
import { forAnyOrigin } from "./cross-origin.ts"
import { mannerOf, standardResponse } from "./standard-answer.ts"

/** How failures of an operation without a token are returned. */
interface OpenPath {
  /** The OAuth error of a request that cannot be parsed (RFC 7591 3.2.2). */
  readonly unreadable: OAuthError
  /** Whether failures have an HTTP status other than 200 also for a JSON request, which no other path below `/v3` does. */
  readonly usesStatus: boolean
}

const DEFAULT_OPEN_PATH: OpenPath = { unreadable: "invalid_request", usesStatus: false }

const openPathOf = (operation: AnyOperation): OpenPath => ({
  unreadable: operation._tag === "create_oauth_registration" ? "invalid_client_metadata" : "invalid_request",
  usesStatus: hasStatus(operation)
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
  const { unreadable, usesStatus } = openAt(path) ?? DEFAULT_OPEN_PATH
  const manner = usesStatus && request.method === "POST" ? "form" : mannerOf(request.headers["content-type"])
  return forAnyOrigin(standardResponse(answer, manner, unreadable))
}
