import { FindMyWay } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { operations } from "../../Api.ts"
import type { Answer } from "../../contract/envelope.ts"
import type { OAuthError } from "../../contract/errors.ts"
import { needsToken, routeOf } from "../../contract/operation.ts"
import { REST_PREFIX } from "../rest-prefix.ts"
import { forAnyOrigin } from "./cross-origin.ts"
import { mannerOf, standardResponse } from "./standard-answer.ts"

/** What a request that cannot be read is called, where it is not `invalid_request` (RFC 7591 3.2.2). */
const UNSAID: ReadonlyMap<string, OAuthError> = new Map([["create_oauth_registration", "invalid_client_metadata"]])

/** By a router like the one that finds the operations: whatever spelling of a path leads to one is answered as it is. */
const openPaths = FindMyWay.make<OAuthError>()
for (const operation of operations.filter((each) => !needsToken(each))) {
  openPaths.on("POST", `${REST_PREFIX}${routeOf(operation).path}`, UNSAID.get(operation._tag) ?? "invalid_request")
}

const openAt = (path: string): OAuthError | undefined => openPaths.find("POST", path)?.handler

/** Whether an operation that needs no token lives at the path. */
export const isOpenPath = (path: string): boolean => openAt(path) !== undefined

/** What is answered at such a path, whatever it was asked. */
export const openResponse = (answer: Answer, request: HttpServerRequest, path: string): HttpServerResponse =>
  forAnyOrigin(standardResponse(answer, mannerOf(request.headers["content-type"]), openAt(path) ?? "invalid_request"))
