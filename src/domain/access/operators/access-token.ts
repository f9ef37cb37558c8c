import { randomBytes } from "node:crypto"

const TOKEN_BYTES = 32

/** Telemetry redacts text after this prefix. */
export const newAccessToken = (): string => `lk_${randomBytes(TOKEN_BYTES).toString("base64url")}`
