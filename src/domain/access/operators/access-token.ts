import { randomBytes } from "node:crypto"

const TOKEN_BYTES = 32

/** A new access token: `lk_` and 43 url-safe characters, 256 bits. Telemetry knows the prefix and never shows what follows. */
export const newAccessToken = (): string => `lk_${randomBytes(TOKEN_BYTES).toString("base64url")}`
