/**
 * Whether who calls may change a subscription, by the applications they belong to: an application its own; the host (null), by a
 * token or a page of the console, every one.
 */
export const mayChange = (calling: string | null, made: string | null): boolean => calling === null || calling === made
