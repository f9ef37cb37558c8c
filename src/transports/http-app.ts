import { Effect } from "effect"
import type { BadRequest } from "../contract/errors.ts"
import { operations } from "../service/Api.ts"
import { Service } from "../service/service.ts"
import { type ApiEndpointName, endpointAt, isApiEndpoint, toApiRejection, transportOf } from "./endpoints.ts"
import type { ApiHandler, ApiRequest, HttpApp } from "./http/api-http.ts"
import { type HttpSettings, isSecureRequest, plainHttpError } from "./http/https.ts"
import { requestPath } from "./http/paths.ts"
import { makeMcpHandler } from "./mcp/mcp-endpoint.ts"
import { makePages } from "./page-app.ts"
import { makeRestHandler } from "./rest/rest-endpoint.ts"

export const makeHttpApp = Effect.fnUntraced(function* (settings: HttpSettings) {
  const service = yield* Service
  const handlers: Readonly<Record<ApiEndpointName, ApiHandler>> = {
    rest: yield* makeRestHandler(settings),
    mcp: yield* makeMcpHandler({ operations, publicUrl: settings.publicUrl })
  }

  const reject = (request: ApiRequest, error: BadRequest) => {
    const name = endpointAt(requestPath(request))
    return Effect.map(service.respondWithError(error, { transport: transportOf(name), headers: {} }), (response) =>
      toApiRejection(name, response, request)
    )
  }

  const app: HttpApp = {
    answerApi: (request) => {
      const endpoint = endpointAt(requestPath(request))
      if (!isApiEndpoint(endpoint)) return undefined
      return isSecureRequest(request, settings) ? handlers[endpoint](request) : reject(request, plainHttpError)
    },
    reject,
    pages: yield* makePages(settings)
  }
  return app
})
