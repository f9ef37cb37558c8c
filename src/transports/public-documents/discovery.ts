import type { Schema } from "effect"
import type { HttpServerRequest } from "effect/http/HttpServerRequest"
import type { HttpServerResponse } from "effect/http/HttpServerResponse"
import { routeOf } from "../../contract/operation.ts"
import { OauthOperations } from "../../domain/access/oauth/contract.ts"
import { AUTH_METHODS, GRANT_TYPES } from "../../domain/access/oauth/registration-rules.ts"
import { AUTHORIZATION_PATH } from "../console/authorization-page.ts"
import { DOCS_PATH, REST_PREFIX, requestPath } from "../http/paths.ts"
import { allowAnyOrigin } from "../oauth/cross-origin.ts"
import { makePublicDocument, rejectNonReadMethod, toDocumentResponse } from "./public-document.ts"

/** Both metadata documents begin with this path (RFC 8615, RFC 9728, RFC 8414). */
export const DISCOVERY_PREFIX = "/.well-known/oauth-"

const RESOURCE_METADATA_PATH = `${DISCOVERY_PREFIX}protected-resource`
const SERVER_METADATA_PATH = `${DISCOVERY_PREFIX}authorization-server`
const MCP_PATH = "/mcp"

const SCOPES = ["read-only", "writable"]

const resourceMetadata = (publicUrl: string, path: string): Schema.Json => ({
  resource: `${publicUrl}${path}`,
  authorization_servers: [publicUrl],
  bearer_methods_supported: ["header"],
  scopes_supported: SCOPES,
  resource_name: "Latchkey",
  resource_documentation: `${publicUrl}${DOCS_PATH}/`
})

/** The issuer is the same at each address of the document (RFC 8414). */
const serverMetadata = (publicUrl: string, hasPublicClient: boolean): Schema.Json => {
  const endpointUrl = (operation: (typeof OauthOperations)[keyof typeof OauthOperations]) =>
    `${publicUrl}${REST_PREFIX}${routeOf(operation).path}`
  const methods = AUTH_METHODS.filter((method) => hasPublicClient || method !== "none")
  return {
    issuer: publicUrl,
    authorization_endpoint: `${publicUrl}${AUTHORIZATION_PATH}`,
    token_endpoint: endpointUrl(OauthOperations.create_oauth_authorization),
    revocation_endpoint: endpointUrl(OauthOperations.revoke_oauth_authorization),
    ...(hasPublicClient ? { registration_endpoint: endpointUrl(OauthOperations.create_oauth_registration) } : {}),
    scopes_supported: SCOPES,
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: [...GRANT_TYPES],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_methods_supported: methods,
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${publicUrl}${DOCS_PATH}/`,
    protected_resources: [publicUrl, `${publicUrl}${MCP_PATH}`]
  }
}

/**
 * If the public URL has a path, the documents are also at the well-known name followed by that path (RFC 8414 3.1, RFC
 * 9728 3.1).
 */
const discoveryDocuments = (publicUrl: string, hasPublicClient: boolean): ReadonlyMap<string, Schema.Json> => {
  const basePath = new URL(publicUrl).pathname.replace(/\/$/, "")
  const server = serverMetadata(publicUrl, hasPublicClient)
  return new Map(
    ["", basePath].flatMap(
      (path): ReadonlyArray<readonly [string, Schema.Json]> => [
        [`${RESOURCE_METADATA_PATH}${path}`, resourceMetadata(publicUrl, "")],
        [`${RESOURCE_METADATA_PATH}${path}${MCP_PATH}`, resourceMetadata(publicUrl, MCP_PATH)],
        [`${SERVER_METADATA_PATH}${path}`, server],
        [`${SERVER_METADATA_PATH}${path}${MCP_PATH}`, server]
      ]
    )
  )
}

export const makeDiscoveryHandler = (publicUrl: string, hasPublicClient: boolean) => {
  const documents = new Map(
    Array.from(discoveryDocuments(publicUrl, hasPublicClient), ([path, document]) => [
      path,
      makePublicDocument(JSON.stringify(document), "application/json")
    ])
  )
  return (request: HttpServerRequest): HttpServerResponse | undefined => {
    const document = documents.get(requestPath(request).replace(/\/$/, ""))
    return document === undefined
      ? undefined
      : allowAnyOrigin(rejectNonReadMethod(request) ?? toDocumentResponse(document, request))
  }
}
