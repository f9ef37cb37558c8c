import { randomBytes } from "node:crypto"

// What stands for a consent, beside access tokens (domain/access/operators/access-token.ts). Telemetry knows the prefixes and never shows what follows.

const SECRET_BYTES = 32

const newSecret = (prefix: string): string => `${prefix}_${randomBytes(SECRET_BYTES).toString("base64url")}`

export const newAuthorizationCode = (): string => newSecret("lkcode")
export const newRefreshToken = (): string => newSecret("lkrefresh")
