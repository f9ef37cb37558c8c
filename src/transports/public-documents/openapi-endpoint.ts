import type { HttpServerResponse } from "effect/http"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { DeploymentName } from "../../platform/installation.ts"
import { openApiDocument } from "../docs/openapi/openapi-document.ts"
import { REST_PREFIX } from "../http/paths.ts"
import { allowAnyOrigin } from "../oauth/cross-origin.ts"
import { makePublicDocument, type PublicDocument, rejectNonReadMethod, toDocumentResponse } from "./public-document.ts"

/** Paths of the OpenAPI documents (specification, Machine-readable resources). */
const OPENAPI_PATHS: ReadonlyMap<string, DeploymentName> = new Map([
  [`${REST_PREFIX}/config.json`, "international"],
  [`${REST_PREFIX}/config.cn.json`, "regional"]
])

export const isOpenApiPath = (path: string): boolean => OPENAPI_PATHS.has(path)

/** Only the document of this deployment names this server. */
export const makeOpenApiHandler = (publicUrl: string, ownDeployment: DeploymentName) => {
  const documentCache = new Map<DeploymentName, PublicDocument>()
  const loadDocument = (deployment: DeploymentName): PublicDocument => {
    const document =
      documentCache.get(deployment) ??
      makePublicDocument(
        JSON.stringify(openApiDocument(deployment, deployment === ownDeployment ? publicUrl : undefined)),
        "application/json"
      )
    documentCache.set(deployment, document)
    return document
  }
  return (request: HttpServerRequest): HttpServerResponse.HttpServerResponse | undefined => {
    const deployment = OPENAPI_PATHS.get(request.url.split("?", 1)[0] ?? "")
    if (deployment === undefined) return undefined
    return allowAnyOrigin(rejectNonReadMethod(request) ?? toDocumentResponse(loadDocument(deployment), request))
  }
}
