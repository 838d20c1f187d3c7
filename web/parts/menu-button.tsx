import type { Menu as MantineMenu, MenuProps } from '@mantine/core'
import { cloneElement, type ReactElement, type ReactNode, useState } from 'react'
import { useOnDemand } from './on-demand.ts'

const load = () => import('./menu.ts')

interface MenuButtonProps extends Omit<MenuProps, 'children'> {
  readonly button: ReactElement<object>
  /** Returns the items of the menu. */
  readonly children: (Menu: typeof MantineMenu) => ReactNode
}

/** A button that opens a menu. The code of menus is loaded when the first one opens. */
export function MenuButton({ button, children, ...menu }: MenuButtonProps) {
  const [isUsed, setUsed] = useState(false)
  const loaded = useOnDemand(isUsed, load)
  if (!loaded)
    return cloneElement(button, {
      'aria-haspopup': 'menu',
      'aria-expanded': false,
      onClick: () => setUsed(true),
      // The menu opens at once if it is loaded while the pointer or the focus arrives.
      onPointerEnter: load,
      onFocus: load,
    } as object)
  const { Menu } = loaded
  return (
    <Menu defaultOpened {...menu}>
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>{children(Menu)}</Menu.Dropdown>
    </Menu>
  )
}
