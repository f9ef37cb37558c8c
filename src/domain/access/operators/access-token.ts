import { randomBytes } from "node:crypto"

const TOKEN_BYTES = 32

/** Returns a token of 256 bits. Telemetry redacts text after its prefix. */
export const newAccessToken = (): string => `lk_${randomBytes(TOKEN_BYTES).toString("base64url")}`
