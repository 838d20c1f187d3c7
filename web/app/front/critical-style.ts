/** The id of the style element that makes the front page readable before its style sheets arrive. */
export const CRITICAL_STYLE = 'critical-style'
