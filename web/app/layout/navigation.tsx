import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { appWords } from '../words.ts'
import type { Area, NavigationEntry } from './areas.ts'
import classes from './navigation.module.css'

interface AreaNavigationProps {
  readonly own: readonly Area[]
  readonly area: Area | undefined
  /** The pages of the area that this person may use. */
  readonly pages: readonly NavigationEntry[]
}

/** Links to the pages of an area; on a narrow screen also to the other areas. */
export function AreaNavigation({ own, area, pages }: AreaNavigationProps) {
  return (
    <>
      {area && pages.length > 1 && (
        <nav aria-label={appWords.navigation.inArea(area.label)}>
          <Text className={classes.title}>{area.label}</Text>
          {pages.map(({ to, label, icon: Icon }) => (
            <Link
              key={to}
              to={to}
              className={classes.link}
              activeProps={{ 'data-active': true }}
              // If the path is a prefix of another page's path, the link must match exactly; otherwise both would be
              // marked active.
              activeOptions={{ exact: pages.some((other) => other.to.startsWith(`${to}/`)), includeSearch: false }}
            >
              <Icon size={18} aria-hidden />
              {label}
            </Link>
          ))}
        </nav>
      )}
      <nav aria-label={appWords.navigation.main} className={classes.others}>
        <Text className={classes.title}>{appWords.navigation.main}</Text>
        {own.map(({ id, label, icon: Icon, pages }) => (
          <Link key={id} to={pages[0].to} className={classes.link}>
            <Icon size={18} aria-hidden />
            {label}
          </Link>
        ))}
        <a href="/docs" className={classes.link}>
          {appWords.navigation.documentation}
        </a>
      </nav>
    </>
  )
}
