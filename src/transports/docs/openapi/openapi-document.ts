import { IDEMPOTENCY_KEY_HEADER } from "../../../contract/idempotency-key.ts"
import { CURRENT_VERSION } from "../../../contract/releases.ts"
import type { DeploymentName } from "../../../platform/installation.ts"
import { IDEMPOTENCY_KEY_LENGTH } from "../../../platform/limits.ts"
import { describeOperations, type JsonSchema } from "../operation-descriptions.ts"
import { findExample } from "../operation-examples.ts"
import { OPERATION_TAGS } from "../operation-tags.ts"
import { toOperationObject } from "./operation-object.ts"
import { toPathItemLocations } from "./path-items.ts"
import { errorSchemas, responseHeaders } from "./responses.ts"

/** Differences of the deployments (specification, What the service does, and Tasks and staff). */
const DEPLOYMENT_NOTES: Readonly<Record<DeploymentName, string>> = {
  international:
    "This is the international deployment: GET /custom_channels lists custom_channel_id 35, and the mobile of a staff member is `+<country code> <number>`.",
  regional:
    "This is the regional deployment: there is no custom_channel_id 35, and the mobile of a staff member is a number of this country."
}

const DESCRIPTION = `Work with the properties, reservations, calendars, prices, money, guests, staff and tasks of short-stay rentals.

Every response is HTTP 200 with one envelope: \`request_id\`, \`error_code\`, \`error_msg\` and \`data\`. \`error_code\` 0 is success. Only the OAuth endpoints also return other statuses. Ignore unknown fields: new fields come without a new major version. \`x-mcp\` describes the MCP tool of an operation.`

const securitySchemes = (publicUrl: string): JsonSchema => ({
  accessToken: {
    type: "apiKey",
    in: "header",
    name: "Service-Access-Token",
    description:
      "An access token of the host's console. A read-only token may GET. A writable token may call everything."
  },
  bearer: { type: "http", scheme: "bearer", description: "The same access token, or an access token of OAuth." },
  client: { type: "http", scheme: "basic", description: "A partner's client_id and client_secret." },
  oauth: {
    type: "oauth2",
    description: "For partner software, and for MCP clients with PKCE.",
    flows: {
      authorizationCode: {
        authorizationUrl: `${publicUrl}/authorization`,
        tokenUrl: `${publicUrl}/v3/oauth/authorizations`,
        refreshUrl: `${publicUrl}/v3/oauth/authorizations`,
        scopes: { "read-only": "Read everything.", writable: "Read and change everything." }
      }
    }
  }
})

const idempotencyKeyParameter: JsonSchema = {
  name: IDEMPOTENCY_KEY_HEADER,
  in: "header",
  required: false,
  description: "The service makes the change once, even if the caller repeats the call with the same key.",
  schema: { type: "string", minLength: 1, maxLength: IDEMPOTENCY_KEY_LENGTH }
}

const toPaths = (deployment: DeploymentName): JsonSchema => {
  const operations = describeOperations(deployment)
  const pathItems = toPathItemLocations(operations)
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const operation of operations) {
    const pathItem = pathItems.get(operation.name)
    if (pathItem === undefined) continue
    paths[pathItem.path] = {
      ...paths[pathItem.path],
      [operation.method.toLowerCase()]: toOperationObject(operation, pathItem, findExample(operation.name, deployment))
    }
  }
  return paths
}

const RELATIVE_BASE = ""

/** Without `publicUrl`, the document names no server and has only relative addresses. */
export const openApiDocument = (deployment: DeploymentName, publicUrl: string | undefined): JsonSchema => ({
  openapi: "3.1.0",
  info: {
    title: "Latchkey Open API",
    version: CURRENT_VERSION,
    summary: "The open API of a property-management service for short-stay hosts.",
    description: `${DESCRIPTION}\n\n${DEPLOYMENT_NOTES[deployment]}`,
    license: { name: "MIT", identifier: "MIT" }
  },
  ...(publicUrl === undefined
    ? {}
    : { servers: [{ url: `${publicUrl}/v3`, description: `The ${deployment} deployment` }] }),
  externalDocs: { url: `${publicUrl ?? RELATIVE_BASE}/docs/` },
  tags: OPERATION_TAGS.map(({ name, title, description }) => ({ name, description, "x-displayName": title })),
  paths: toPaths(deployment),
  components: {
    schemas: errorSchemas(),
    headers: responseHeaders(),
    parameters: { [IDEMPOTENCY_KEY_HEADER]: idempotencyKeyParameter },
    securitySchemes: securitySchemes(publicUrl ?? RELATIVE_BASE)
  }
})
