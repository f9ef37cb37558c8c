import type { BadRequest, RateLimited, Unauthenticated } from "../../../contract/errors.ts"
import type { OAuthClient } from "./Clients.ts"

export interface IssuedTokens {
  readonly accessToken: string
  readonly refreshToken: string
  /** Seconds. */
  readonly expiresIn: number
  readonly scope: "read-only" | "writable"
}

export interface CodeExchangeRequest {
  readonly client: OAuthClient
  readonly code: string
  readonly verifier: string | undefined
  readonly redirectUri: string | undefined
  readonly resources: ReadonlyArray<string>
}

export interface TokenRefreshRequest {
  readonly client: OAuthClient
  readonly refreshToken: string
  readonly scope: string | undefined
  readonly resources: ReadonlyArray<string>
}

export interface TokenIssuerContext {
  readonly publicUrl: string
  readonly deployment: string
}

export type TokenRequestError = BadRequest | Unauthenticated | RateLimited
