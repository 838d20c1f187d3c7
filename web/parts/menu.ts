/** Loaded by `MenuButton` on demand. */
export { Menu } from '@mantine/core'
