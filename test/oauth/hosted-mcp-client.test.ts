import { assert, layer } from "@effect/vitest"
import * as newer from "@modelcontextprotocol/client"
import { type OAuthClientProvider, UnauthorizedError } from "@modelcontextprotocol/sdk/client/auth.js"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js"
import type { OAuthClientInformationMixed, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js"
import { Effect } from "effect"
import { BaseUrl } from "../server.ts"
import { consented, freshHost, layerWhole } from "./whole.ts"

// A hosted MCP client as it comes: its host typed the address with a slash, it registers with a secret, and it asks for scopes of
// other services. Both official libraries.

const CALLBACK = "http://127.0.0.1:33418/api/mcp/auth_callback"

/** Keeps what the libraries are given, as an application does. */
const makeProvider = () => {
  const kept: {
    tokens: OAuthTokens | undefined
    client: OAuthClientInformationMixed | undefined
    verifier: string
    asked: string
  } = { tokens: undefined, client: undefined, verifier: "", asked: "" }
  const provider: OAuthClientProvider = {
    redirectUrl: CALLBACK,
    clientMetadata: {
      client_name: "Hosted",
      redirect_uris: [CALLBACK],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "client_secret_post"
    },
    state: () => "state-of-the-test",
    clientInformation: () => kept.client,
    saveClientInformation: (client) => {
      kept.client = client
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens) => {
      kept.tokens = tokens
    },
    redirectToAuthorization: (url) => {
      kept.asked = url.href
    },
    saveCodeVerifier: (verifier) => {
      kept.verifier = verifier
    },
    codeVerifier: () => kept.verifier
  }
  return { kept, provider }
}

/** One official library: how many tools it lists, and how it trades in a code. */
interface Library {
  readonly toolCount: (provider: OAuthClientProvider, url: URL) => Promise<number>
  readonly finish: (provider: OAuthClientProvider, url: URL, callback: URLSearchParams) => Promise<void>
  readonly isUnauthorized: (error: unknown) => boolean
}

const LIBRARIES: Readonly<Record<"sdk" | "client", Library>> = {
  sdk: {
    toolCount: async (authProvider, url) => {
      const client = new Client({ name: "test", version: "1" })
      await client.connect(new StreamableHTTPClientTransport(url, { authProvider }))
      const { tools } = await client.listTools()
      await client.close()
      return tools.length
    },
    finish: (authProvider, url, callback) =>
      new StreamableHTTPClientTransport(url, { authProvider }).finishAuth(callback.get("code") ?? ""),
    isUnauthorized: (error) => error instanceof UnauthorizedError
  },
  client: {
    toolCount: async (authProvider, url) => {
      const client = new newer.Client({ name: "test", version: "1" })
      await client.connect(new newer.StreamableHTTPClientTransport(url, { authProvider }))
      const { tools } = await client.listTools()
      await client.close()
      return tools.length
    },
    finish: (authProvider, url, callback) =>
      new newer.StreamableHTTPClientTransport(url, { authProvider }).finishAuth(callback),
    isUnauthorized: (error) => error instanceof newer.UnauthorizedError
  }
}

layer(layerWhole)("a hosted MCP client", (it) => {
  it.effect.each(["sdk", "client"] as const)("is given access and renews it, by the library %s", (name) =>
    Effect.gen(function* () {
      const library = LIBRARIES[name]
      const [base, host] = [yield* BaseUrl, yield* freshHost]
      const url = new URL(`${base}/mcp/`)
      const { kept, provider } = makeProvider()
      const refusal = yield* Effect.promise(() =>
        library.toolCount(provider, url).then(
          () => undefined,
          (error: unknown) => error
        )
      )
      assert.isTrue(library.isUnauthorized(refusal), String(refusal))
      assert.deepInclude(kept.client, { client_id: "service_mcp", token_endpoint_auth_method: "none" })
      const asked = new URL(kept.asked)
      asked.searchParams.set("scope", "read-only writable offline_access")

      const led = new URL(yield* consented(base, host.email, asked.href, "allow"))
      yield* Effect.promise(() => library.finish(provider, url, led.searchParams))
      assert.strictEqual(kept.tokens?.scope, "writable")
      assert.strictEqual(yield* Effect.promise(() => library.toolCount(provider, url)), 72)

      const first = kept.tokens
      kept.tokens = { token_type: "Bearer", ...first, access_token: "lk_expired" }
      assert.strictEqual(yield* Effect.promise(() => library.toolCount(provider, url)), 72)
      assert.notStrictEqual(kept.tokens?.refresh_token, first?.refresh_token)
    })
  )
})
