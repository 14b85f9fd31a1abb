//! Builders of nested columns from values.

use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, BooleanBuilder, ListBuilder, MapBuilder, MapFieldNames, StringBuilder,
    StructBuilder, UInt64Builder,
};
use arrow_schema::{DataType, Field, Fields};

/// A value, with its type also if it is null or empty.
#[derive(Clone, Debug)]
pub(super) enum Cell {
    Bool(bool),
    Count(u64),
    Text(Option<String>),
    Texts(Vec<String>),
    /// Entries, and an example of a value.
    Map(Vec<(String, Cell)>, Box<Cell>),
    Struct(Row),
    /// Items, and an example of an item.
    Structs(Vec<Row>, Row),
}

/// The fields of a struct.
pub(super) type Row = Vec<(&'static str, Cell)>;

impl Cell {
    pub(super) fn text(text: &str) -> Self {
        Self::Text(Some(text.to_owned()))
    }

    pub(super) fn texts<T: AsRef<str>>(texts: impl IntoIterator<Item = T>) -> Self {
        Self::Texts(texts.into_iter().map(|text| text.as_ref().to_owned()).collect())
    }

    pub(super) fn counts(counts: impl IntoIterator<Item = (String, u64)>) -> Self {
        let entries = counts.into_iter().map(|(name, count)| (name, Self::Count(count)));
        Self::Map(entries.collect(), Box::new(Self::Count(0)))
    }
}

/// The type of a value.
pub(super) fn type_of(cell: &Cell) -> DataType {
    let list = |item: DataType| DataType::List(Arc::new(Field::new("item", item, true)));
    match cell {
        Cell::Bool(_) => DataType::Boolean,
        Cell::Count(_) => DataType::UInt64,
        Cell::Text(_) => DataType::Utf8,
        Cell::Texts(_) => list(DataType::Utf8),
        Cell::Map(_, value) => {
            let entries = Fields::from(vec![
                Field::new(KEY, DataType::Utf8, false),
                Field::new(VALUE, type_of(value), true),
            ]);
            let entries = Field::new(ENTRIES, DataType::Struct(entries), false);
            DataType::Map(Arc::new(entries), false)
        }
        Cell::Struct(row) => struct_of(row),
        Cell::Structs(_, item) => list(struct_of(item)),
    }
}

fn struct_of(row: &Row) -> DataType {
    let field = |(name, cell): &(&'static str, Cell)| Field::new(*name, type_of(cell), true);
    DataType::Struct(row.iter().map(field).collect())
}

/// A builder of a type of [`type_of`].
pub(super) fn builder(kind: &DataType) -> Box<dyn ArrayBuilder> {
    match kind {
        DataType::Boolean => Box::new(BooleanBuilder::new()),
        DataType::UInt64 => Box::new(UInt64Builder::new()),
        DataType::List(item) => {
            Box::new(ListBuilder::new(builder(item.data_type())).with_field(Arc::clone(item)))
        }
        DataType::Map(entries, _) => {
            let DataType::Struct(fields) = entries.data_type() else { unreachable!("by type_of") };
            let names = MapFieldNames {
                entry: ENTRIES.to_owned(),
                key: KEY.to_owned(),
                value: VALUE.to_owned(),
            };
            let values = builder(fields[1].data_type());
            Box::new(MapBuilder::new(Some(names), StringBuilder::new(), values))
        }
        DataType::Struct(fields) => {
            let builders = fields.iter().map(|field| builder(field.data_type())).collect();
            Box::new(StructBuilder::new(fields.clone(), builders))
        }
        _ => Box::new(StringBuilder::new()),
    }
}

/// Appends a value of the builder's type.
pub(super) fn append(builder: &mut dyn ArrayBuilder, cell: Cell) {
    match cell {
        Cell::Bool(value) => of::<BooleanBuilder>(builder).append_value(value),
        Cell::Count(value) => of::<UInt64Builder>(builder).append_value(value),
        Cell::Text(value) => of::<StringBuilder>(builder).append_option(value),
        Cell::Texts(texts) => {
            let list = of::<ListBuilder<Box<dyn ArrayBuilder>>>(builder);
            for text in texts {
                append(list.values().as_mut(), Cell::Text(Some(text)));
            }
            list.append(true);
        }
        Cell::Map(entries, _) => {
            let map = of::<MapBuilder<StringBuilder, Box<dyn ArrayBuilder>>>(builder);
            for (key, value) in entries {
                map.keys().append_value(key);
                append(map.values().as_mut(), value);
            }
            map.append(true).expect("a value for each key");
        }
        Cell::Struct(row) => {
            let item = of::<StructBuilder>(builder);
            for (builder, (_, cell)) in item.field_builders_mut().iter_mut().zip(row) {
                append(builder.as_mut(), cell);
            }
            item.append(true);
        }
        Cell::Structs(rows, _) => {
            let list = of::<ListBuilder<Box<dyn ArrayBuilder>>>(builder);
            for row in rows {
                append(list.values().as_mut(), Cell::Struct(row));
            }
            list.append(true);
        }
    }
}

/// Appends a null.
pub(super) fn append_null(builder: &mut dyn ArrayBuilder) {
    let any = builder.as_any_mut();
    if let Some(builder) = any.downcast_mut::<BooleanBuilder>() {
        builder.append_null();
    } else if let Some(builder) = any.downcast_mut::<UInt64Builder>() {
        builder.append_null();
    } else if let Some(builder) = any.downcast_mut::<StringBuilder>() {
        builder.append_null();
    } else if let Some(builder) = any.downcast_mut::<ListBuilder<Box<dyn ArrayBuilder>>>() {
        builder.append(false);
    } else if let Some(builder) =
        any.downcast_mut::<MapBuilder<StringBuilder, Box<dyn ArrayBuilder>>>()
    {
        builder.append(false).expect("no keys");
    } else if let Some(builder) = any.downcast_mut::<StructBuilder>() {
        for field in builder.field_builders_mut() {
            append_null(field.as_mut());
        }
        builder.append(false);
    } else {
        unreachable!("all builders of `builder`");
    }
}

fn of<T: ArrayBuilder>(builder: &mut dyn ArrayBuilder) -> &mut T {
    builder.as_any_mut().downcast_mut().expect("the builder of the type")
}

const KEY: &str = "key";
const VALUE: &str = "value";
const ENTRIES: &str = "entries";
