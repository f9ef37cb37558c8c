import type { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { DeploymentName } from "../../platform/installation.ts"
import { openApiDocument } from "../docs/openapi/document.ts"
import { REST_PREFIX } from "../http/rest-prefix.ts"
import { forAnyOrigin } from "../oauth/cross-origin.ts"
import { notReading, type PublicDocument, publicDocument, served } from "./public-document.ts"

/** Where the documents are (specification, Machine-readable resources): below `/v3`, and yet no operations. */
const PATHS: ReadonlyMap<string, DeploymentName> = new Map([
  [`${REST_PREFIX}/config.json`, "international"],
  [`${REST_PREFIX}/config.cn.json`, "regional"]
])

export const isOpenApiPath = (path: string): boolean => PATHS.has(path)

/**
 * Serves the OpenAPI documents without authentication. The document of a deployment is built at its first request and cached. Only
 * the document of this deployment names this server. Returns undefined for other paths.
 */
export const makeOpenApi = (publicUrl: string, own: DeploymentName) => {
  const kept = new Map<DeploymentName, PublicDocument>()
  const written = (deployment: DeploymentName): PublicDocument => {
    const document =
      kept.get(deployment) ??
      publicDocument(
        JSON.stringify(openApiDocument(deployment, deployment === own ? publicUrl : undefined)),
        "application/json"
      )
    kept.set(deployment, document)
    return document
  }
  return (request: HttpServerRequest): HttpServerResponse.HttpServerResponse | undefined => {
    const deployment = PATHS.get(request.url.split("?", 1)[0] ?? "")
    if (deployment === undefined) return undefined
    return forAnyOrigin(notReading(request) ?? served(written(deployment), request))
  }
}
