import { useQuery } from '@tanstack/react-query'
import { Outlet } from '@tanstack/react-router'
import { Loaded } from '../parts/states.tsx'
import { OperationList } from './operation-list.tsx'
import { reference } from './read.ts'
import classes from './reference.module.css'

/** The list of operations beside what is chosen of it. It stays as it is while one goes from one to the next. */
export function ReferenceFrame() {
  const read = useQuery(reference())
  return (
    <Loaded of={read} lines={8}>
      {(found) => (
        <div className={classes.page}>
          <OperationList reference={found} />
          <div>
            <Outlet />
          </div>
        </div>
      )}
    </Loaded>
  )
}
