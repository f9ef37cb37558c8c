/** Below which path REST lives (specification, Versioning). */
export const REST_PREFIX = "/v3"
